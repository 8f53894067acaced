//! What the referee knows of single games beyond their rules.

use lodestone::game::Variant;

/// Whether games of this variant begin with a placement that a
/// [`lodestone::game::Setup`] describes.
pub const fn has_setup(variant: Variant) -> bool {
    match variant {
        Variant::MagneticCave => false,
        Variant::Gridlock => true,
    }
}

/// Against whom `lodestone` shows what it can where no engine is named.
pub const fn sparring_partner(variant: Variant) -> &'static str {
    match variant {
        Variant::MagneticCave => "squares",
        Variant::Gridlock => "mobility",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sparring_partner_plays_the_game() {
        for variant in Variant::ALL {
            assert!(variant.personalities().contains(&sparring_partner(*variant)));
        }
    }
}
