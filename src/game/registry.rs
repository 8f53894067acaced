//! Dispatch to a game: the macro `games!` makes [`Variant`](super::Variant) from a list.

use super::evaluate::{Evaluate, Yardstick};

/// Generic code to run for a game that is known only as a [`Variant`](super::Variant).
pub trait GameVisitor {
    /// The result of [`GameVisitor::visit`].
    type Output;

    /// Runs for the game `G`.
    fn visit<G: Evaluate + Yardstick>(self) -> Self::Output;
}

/// The enum of the games, with its dispatch.
macro_rules! games {
    ($($(#[$doc:meta])* $variant:ident => $game:ty),* $(,)?) => {
        /// The games that Lodestone plays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Variant {
            $($(#[$doc])* $variant),*
        }

        impl Variant {
            /// All games, the default first.
            pub const ALL: &'static [Variant] = &[$(Variant::$variant),*];

            /// The facts of this game.
            pub const fn info(self) -> &'static $crate::game::GameInfo {
                match self { $(Variant::$variant => &<$game as $crate::game::Game>::INFO),* }
            }

            /// Runs generic code for this game.
            pub fn visit<V: $crate::game::GameVisitor>(self, visitor: V) -> V::Output {
                match self { $(Variant::$variant => visitor.visit::<$game>()),* }
            }
        }
    };
}

pub(super) use games;
