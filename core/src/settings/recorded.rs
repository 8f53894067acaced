//! The settings of a player in a result file: the words of its command, as fields.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::value::SettingValue;
use super::{Purpose, Setting, Settings};
use crate::game::clock::{Control, TimeControl};
use crate::io::untrusted::{Untrusted, untrusted_pairs, untrusted_path};
use crate::process::{ResourceLimits, SandboxLevel};

/// The settings that determine the games of a player, without those that have their default. Its texts come from
/// foreign files.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSettings(Settings);

impl RecordedSettings {
    /// What is recorded of these settings, and of what the player really has of time.
    pub fn new(settings: &Settings, control: &Control) -> RecordedSettings {
        let mut kept = Settings::default();
        for (setting, value) in settings.given() {
            if setting.is_for(Purpose::Match) && !setting.is_default(&value) {
                kept.take(setting, value);
            }
        }
        let time = match control.time {
            TimeControl::Unlimited => None,
            TimeControl::FirstMove { each, .. } => Some(TimeControl::Move(each)),
            time => Some(time),
        };
        RecordedSettings(Settings {
            time,
            first: control.time.first(),
            margin: Some(control.margin),
            ..kept
        })
    }

    /// The program as it was given, or `human`.
    pub fn cmd(&self) -> Untrusted {
        self.0.cmd.clone().unwrap_or_default().into()
    }

    /// Takes limits of memory and processes that are those of all programs, as files of version 0.4 have them.
    pub(crate) fn limit_program(&mut self, of_all: ResourceLimits) {
        if !self.0.is_human() {
            self.0.limits = self.0.limits.or(of_all);
        }
    }

    /// The folder whose `run` starts the player.
    pub fn wrapper(&self) -> Option<Untrusted> {
        self.0.wrapper.as_deref().map(untrusted_path)
    }

    /// The names and values of the options that were set.
    pub fn options(&self) -> Vec<(Untrusted, Untrusted)> {
        untrusted_pairs(&self.0.options)
    }

    pub fn time(&self) -> TimeControl {
        self.0.time_or(TimeControl::Unlimited)
    }

    pub fn sandbox(&self) -> Option<SandboxLevel> {
        self.0.sandbox.filter(|level| *level != SandboxLevel::Off)
    }

    /// The limits as reports name them, such as `proto=ugi st=0.1 depth=5`.
    pub fn limits(&self) -> String {
        self.0.words_for(Purpose::Limits).join(" ")
    }
}

impl Serialize for RecordedSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.given().map(|(setting, value)| (setting.field(), value)))
    }
}

impl<'de> Deserialize<'de> for RecordedSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RecordedSettings, D::Error> {
        let fields = Map::<String, Json>::deserialize(deserializer)?;
        let mut settings = Settings::default();
        for setting in Setting::of(Purpose::Match) {
            let field = setting.field();
            let is_given =
                |value: &&Json| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
            let value = fields.get(&field).filter(is_given);
            let Some(value) = value else { continue };
            let value = SettingValue::of_file(value).ok_or_else(|| "no setting has such a value".to_string());
            value
                .and_then(|value| (setting.set)(&mut settings, value))
                .map_err(|why| D::Error::custom(format!("{field}: {why}")))?;
        }
        if settings.cmd.is_none() {
            return Err(D::Error::missing_field("cmd"));
        }
        if settings.first.is_some() && !matches!(settings.time, Some(TimeControl::Move(_))) {
            return Err(D::Error::custom("`first` needs `st`"));
        }
        Ok(RecordedSettings(settings))
    }
}
