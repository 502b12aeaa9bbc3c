//! The keys of scenarios that twins write.

use std::marker::PhantomData;

use super::value::Written;

/// A key of a table with values of a type.
pub(crate) struct Key<V> {
    /// Header of its table, or the path of the inline table: `[[flow]]`, `flow.arrivals`.
    pub table: &'static str,
    pub name: &'static str,
    value: PhantomData<fn(V)>,
}

impl<V: Written> Key<V> {
    /// Only [`keys!`] makes one, so that the test of declarations knows it.
    pub const fn new(table: &'static str, name: &'static str) -> Key<V> {
        Key { table, name, value: PhantomData }
    }

    /// The key with a value, as TOML.
    pub fn with(self, value: impl Into<V>) -> String {
        format!("{} = {}", self.name, value.into().written())
    }
}

/// A row of a list of keys: the header or path of the table, the key, and the SI unit of its values.
#[cfg(test)]
pub(crate) type Row = (&'static str, &'static str, &'static str);

/// Declares a module for each table, with a constant for each key, and in tests the list of all of them.
macro_rules! keys {
    ($($(#[$about:meta])* $table:ident = $header:literal { $($name:ident: $value:ident = $key:literal),+ $(,)? })+) => {
        $($(#[$about])* pub(crate) mod $table {
            #[allow(unused_imports, reason = "no table has values of all types")]
            use $crate::document::*;

            #[allow(dead_code, reason = "an inline table needs no header")]
            pub const TABLE: &str = $header;
            $(pub const $name: Key<$value> = Key::new($header, $key);)+
        })+

        #[cfg(test)]
        pub(crate) const ALL: &[$crate::document::Row] = &[
            $($(($header, $key, <$crate::document::$value as $crate::document::Written>::UNIT)),+),+
        ];
    };
}
pub(crate) use keys;

keys! {
    /// Keys outside of tables.
    top = "" { TITLE: Text = "title" }
    /// Which network it is.
    network = "[network]" { KIND: Text = "kind" }
    /// How long it is simulated, and how often.
    run = "[run]" {
        DURATION: Time = "duration",
        WARM_UP: Time = "warm_up",
        REPLICATIONS: Whole = "replications",
        SEED: Whole = "seed",
    }
    /// When a flow sends, with the parameters of all laws.
    arrivals = "flow.arrivals" {
        KIND: Text = "kind",
        INTERVAL: Time = "interval",
        JITTER: Time = "jitter",
        SHAPE: Number = "shape",
        DEVIATION: Time = "deviation",
        THINK: Time = "think",
        SIZE: Whole = "size",
        GAP: Time = "gap",
        ON: Time = "on",
        OFF: Time = "off",
        MAX_INTERVAL: Time = "max_interval",
        MIN_INTERVAL: Time = "min_interval",
        CHANGE_INTERVAL: Time = "change_interval",
        CYCLE: Time = "cycle",
        FILE: Text = "file",
        START: Text = "start",
        DELAY: Time = "delay",
    }
}
