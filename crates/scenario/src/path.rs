//! Key paths: `TABLE.KEY`, `KIND.NAME.KEY` for one member, `KIND.KEY` for every member of a kind; a key of an inline table follows the
//! key that holds it, at any depth: `medium.wan.queue.shaping.rate`.

use crate::document::Document;
use crate::expand;
use crate::hint;
use crate::keys::{Key, Kind, Shape, TableKeys};
use crate::problem::Problem;
use crate::source::Place;
use crate::tree::{Entry, Node};

/// What a path names.
pub(crate) struct Target {
    /// The table or kind.
    pub table: &'static TableKeys,
    /// Which member of a kind; all of them without.
    pub name: Option<String>,
    /// The key in the table, then those of the inline tables, down to the one that the path names.
    pub keys: Vec<&'static Key>,
}

impl Target {
    /// The key that the path names, the innermost.
    pub fn key(&self) -> &'static Key {
        self.keys[self.keys.len() - 1]
    }
}

/// Where the path that a key of `set` spells stands, without the quotes around it.
pub(crate) fn unquoted(entry: &Entry) -> Option<Place> {
    entry.key_place.as_ref().map(|place| match place.text().find(&entry.key) {
        Some(at) => Place::new(&place.source, place.span.start + at..place.span.start + at + entry.key.len()),
        None => place.clone(),
    })
}

/// Finds what a path names; mistakes stand at `place`, which holds the path's text.
pub(crate) fn locate(document: &Document, path: &str, place: &Option<Place>) -> Result<Target, Problem> {
    let steps: Vec<&str> = path.split('.').collect();
    let walk = Walk { document, path, steps: &steps, place };
    let Some(table) = document.keys.table(steps[0]) else {
        let names = document.keys.tables.iter().map(|table| table.name);
        let problem = walk.problem(0, format!("a {} scenario has no table `{}`", document.keys.kind, steps[0]));
        return Err(problem.maybe_help(hint::suggestion(steps[0], names)));
    };
    if steps.len() < 2 {
        let keys = table.all().map(|key| key.name).collect::<Vec<_>>().join(", ");
        return Err(walk
            .problem(0, format!("`{path}` names a table, not a key of it"))
            .help(format!("its keys: {keys}")));
    }
    match table.shape {
        Shape::One => walk.key(table, None, 1),
        Shape::Shorthand => walk.shorthand(table),
        Shape::Many => walk.many(table),
    }
}

struct Walk<'a> {
    document: &'a Document,
    path: &'a str,
    steps: &'a [&'a str],
    place: &'a Option<Place>,
}

impl Walk<'_> {
    /// A mistake in one step of the path.
    fn problem(&self, step: usize, message: String) -> Problem {
        let before: usize = self.steps[..step].iter().map(|step| step.len() + 1).sum();
        let place = self.place.as_ref().map(|place| match place.text() == self.path {
            true => {
                Place::new(&place.source, place.span.start + before..place.span.start + before + self.steps[step].len())
            }
            false => place.clone(),
        });
        Problem::at(place, message)
    }

    fn written(&self, table: &str) -> Option<&Node> {
        self.document.entries.get(table)
    }

    fn shorthand(&self, table: &'static TableKeys) -> Result<Target, Problem> {
        let uniform = self.document.keys.uniform_medium == Some(table.name);
        let other = uniform && self.written("medium").is_some();
        if other || !uniform && self.written(table.name).is_none() {
            let problem = self.problem(0, format!("the scenario has no [{}]", table.name));
            let help = if uniform {
                "its media are [[medium]] tables: write medium.KEY or medium.NAME.KEY"
            } else {
                "a path edits the scenario as it is written"
            };
            return Err(problem.help(help));
        }
        self.key(table, None, 1)
    }

    fn many(&self, table: &'static TableKeys) -> Result<Target, Problem> {
        let names = self.names(table);
        let shorthand_stations = table.name == "station" && expand::makes_stations(self.document);
        if names.is_empty() && !shorthand_stations {
            return Err(self.only_expanded(table));
        }
        // a key, unless a member has that name and a key of it follows
        let is_named = |name: &str| names.iter().any(|known| known == name);
        let member = self.steps.len() > 2
            && match table.find(self.steps[1]) {
                Some(key) if !key.inner().is_empty() => is_named(self.steps[1]) && table.find(self.steps[2]).is_some(),
                _ => true,
            };
        if !member {
            return self.key(table, None, 1);
        }
        let name = self.steps[1];
        let counted = name
            .rsplit_once('-')
            .is_some_and(|(base, number)| names.iter().any(|n| n == base) && number.parse::<u32>().is_ok());
        if is_named(name) || counted {
            return self.key(table, Some(name.to_owned()), 2);
        }
        if self.document.keys.shorthands.iter().any(|shorthand| shorthand.table == name) && self.written(name).is_some()
        {
            return Err(self.only_expanded(table));
        }
        let help = hint::suggestion(name, names.iter().map(String::as_str));
        Err(self.problem(1, format!("there is no {} `{name}`", table.name)).maybe_help(help))
    }

    /// Names as written, and those of stations that shorthands make.
    fn names(&self, table: &TableKeys) -> Vec<String> {
        let nodes = self.written(table.name).and_then(Node::as_list).unwrap_or_default();
        let name = |node: &Node| node.as_table()?.get("name")?.as_text().map(str::to_owned);
        let mut names: Vec<String> = nodes.iter().filter_map(name).collect();
        if table.name == "station" && self.written("station").is_none_or(|node| node.as_list().is_none()) {
            let written =
                self.document.keys.shorthands.iter().filter(|shorthand| self.written(shorthand.table).is_some());
            names.extend(written.flat_map(|shorthand| shorthand.stations.iter().map(|(name, _)| (*name).to_owned())));
        }
        names
    }

    /// The path is of the expanded form: the hint names the shorthand that makes it.
    fn only_expanded(&self, table: &TableKeys) -> Problem {
        let last = self.steps[self.steps.len() - 1];
        let uniform = self.document.keys.uniform_medium.filter(|_| table.name == "medium");
        let shorthands = self.document.keys.shorthands.iter().map(|shorthand| shorthand.table);
        let written: Vec<&str> = shorthands.filter(|name| self.written(name).is_some()).collect();
        let made: Vec<&str> = match uniform {
            Some(channel) => vec![channel],
            None if written.contains(&self.steps[1]) => vec![self.steps[1]],
            None => written,
        };
        if made.is_empty() {
            let problem = self.problem(0, format!("the scenario has no [[{}]]", table.name));
            return problem.help("a path edits the scenario as it is written");
        }
        let named = self.steps.len() > 2 && made.contains(&self.steps[1])
            || uniform.is_some() && table.find(self.steps[1]).is_none();
        let rest = self.steps[if named { 2 } else { 1 }..].join(".");
        let paths: Vec<String> = made
            .iter()
            .map(|name| format!("{name}.{}", shorthand_key(self.document, name, &rest).unwrap_or(last.to_owned())))
            .collect();
        let message = format!("`{}` exists only in the expanded scenario", self.path);
        let verb = if made.len() == 1 { "makes" } else { "make" };
        self.problem(0, message).help(format!("[{}] {verb} it: set {}", made.join("] and ["), paths.join(" or ")))
    }

    fn key(&self, table: &'static TableKeys, name: Option<String>, step: usize) -> Result<Target, Problem> {
        let Some(outer) = table.find(self.steps[step]) else {
            let names = table.all().map(|key| key.name);
            let problem = self.problem(step, format!("`{}` has no key `{}`", table.name, self.steps[step]));
            return Err(problem.maybe_help(hint::suggestion(self.steps[step], names)));
        };
        let structural = table.shape == Shape::Many && matches!(outer.kind, Kind::Name)
            || table.name == "network" && outer.name == "kind";
        if structural {
            let problem = self.problem(step, format!("`{}` cannot be set: everything else hangs on it", self.path));
            let is_kind = table.name == "network";
            let help = "write it in [network]; `sojourn new KIND` writes a scenario of another kind";
            return Err(problem.maybe_help(is_kind.then(|| help.to_owned())));
        }
        let mut keys = vec![outer];
        for step in step + 1..self.steps.len() {
            keys.push(self.inner(keys[keys.len() - 1], step)?);
        }
        Ok(Target { table, name, keys })
    }

    /// The key that a step names in the inline table of the key before.
    fn inner(&self, outer: &'static Key, step: usize) -> Result<&'static Key, Problem> {
        let (keys, name) = (outer.inner(), self.steps[step]);
        if let Some(inner) = keys.iter().copied().find(|key| key.name == name) {
            return Ok(inner);
        }
        let problem = self.problem(step, format!("`{}` has no key `{name}`", outer.name));
        if keys.is_empty() {
            return Err(problem.help(format!("`{}` holds a value, and no table", outer.name)));
        }
        Err(problem.maybe_help(hint::suggestion(name, keys.iter().map(|key| key.name))))
    }
}

/// The key of a shorthand table that makes a key of the flow: the pace comes from its rate.
fn shorthand_key(document: &Document, table: &str, rest: &str) -> Option<String> {
    let shorthand = document.keys.shorthands.iter().find(|shorthand| shorthand.table == table);
    match shorthand.and_then(|shorthand| shorthand.rate) {
        Some((rate, _)) if matches!(rest, "arrivals.interval" | "arrivals.rate") => Some(rate.to_owned()),
        _ => (!rest.is_empty()).then(|| rest.to_owned()),
    }
}
