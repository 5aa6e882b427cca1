//! What documents must be like: the clauses of `where`.

use alloc::string::String;
use alloc::vec::Vec;

use super::calls::Call;
use super::field::Names;
use super::word::Word;
use super::{Parameters, invalid, misplaced};
use crate::error::Error;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Op {
    Equals,
    NotEquals,
    Exists,
    AllIn,
    Between,
    Search,
    /// What is open above, such as "greater than": `null` is the least there is.
    Above,
    /// What is open below: `null` is the most there is.
    Below,
    Other,
}

/// How conditions read, by the method that makes them: `@` is the field, `#` the parameter.
const FORMS: &[(&str, Op, &str)] = &[
    ("whereEquals", Op::Equals, "@ = $#"),
    ("whereNotEquals", Op::NotEquals, "@ != $#"),
    ("whereExists", Op::Exists, "exists(@)"),
    ("whereIn", Op::Other, "@ in ($#)"),
    ("containsAny", Op::Other, "@ in ($#)"),
    ("containsAll", Op::AllIn, "@ all in ($#)"),
    ("whereBetween", Op::Between, "@ between $#"),
    ("whereGreaterThan", Op::Above, "@ > $#"),
    ("whereGreaterThanOrEqual", Op::Above, "@ >= $#"),
    ("whereLessThan", Op::Below, "@ < $#"),
    ("whereLessThanOrEqual", Op::Below, "@ <= $#"),
    ("whereStartsWith", Op::Other, "startsWith(@, $#)"),
    ("whereEndsWith", Op::Other, "endsWith(@, $#)"),
    ("whereRegex", Op::Other, "regex(@, $#)"),
    ("whereLucene", Op::Other, "lucene(@, $#)"),
    ("search", Op::Search, "search(@, $#)"),
];

/// Their places in the table.
const EQUALS: usize = 0;
const NOT_EQUALS: usize = 1;
const EXISTS: usize = 2;

enum Clause<'a> {
    Where(Condition<'a>),
    /// Whether it is boosted.
    Open(bool),
    /// With the parameter of its boost, where it has one.
    Close(Option<String>),
    True,
    Not,
    Operator(&'static str),
    Intersect,
}

/// A condition of one field.
struct Condition<'a> {
    op: Op,
    /// As RQL has it, but for what is around it.
    text: String,
    boost: Option<&'a str>,
    /// How far words may be from those that are looked for: `fuzzy(` or `proximity(`, and the factor.
    distance: Option<(&'static str, &'a str)>,
}

#[derive(Default)]
pub(super) struct Clauses<'a> {
    list: Vec<Clause<'a>>,
    depth: usize,
    negate: bool,
    any: bool,
    intersects: bool,
}

impl<'a> Clauses<'a> {
    /// `any`: conditions are alternatives where the app does not say how they are joined.
    pub(super) fn default_operator(&mut self, any: bool) -> Result<(), Error> {
        if !self.list.is_empty() {
            return Err(misplaced("the default operator has to be said before the first condition"));
        }
        self.any = any;
        Ok(())
    }

    pub(super) fn apply(
        &mut self,
        call: &Call<'a>,
        names: &Names<'_>,
        parameters: &mut Parameters<'a>,
    ) -> Result<(), Error> {
        match call.word {
            Word::Not | Word::NegateNext => self.negate = !self.negate,
            Word::AndAlso => {
                if !self.list.is_empty() && call.is_true(0) {
                    self.not_twice()?;
                    self.list.insert(0, Clause::Open(false));
                    self.list.push(Clause::Close(None));
                }
                self.operator("and")?;
            }
            Word::OrElse => self.operator("or")?,
            Word::Open => {
                self.depth += 1;
                self.join();
                self.negated(None);
                self.list.push(Clause::Open(false));
            }
            Word::Close => {
                let depth = self.depth.checked_sub(1);
                self.depth = depth.ok_or_else(|| misplaced("closeSubclause without an openSubclause before it"))?;
                self.list.push(Clause::Close(None));
            }
            Word::Intersect => {
                if !matches!(self.list.last(), Some(Clause::Where(_) | Clause::Close(_))) {
                    return Err(misplaced("intersect stands between two conditions"));
                }
                self.intersects = true;
                self.list.push(Clause::Intersect);
            }
            Word::Boost => self.boost(call, parameters)?,
            Word::Fuzzy => {
                let condition = self.last(Op::Equals, "fuzzy stands right behind whereEquals")?;
                let factor = call.number(0)?;
                if !(matches!(factor, "0" | "1")
                    || factor.starts_with("0.")
                    || factor.as_bytes().windows(2).any(|pair| pair == b"e-"))
                {
                    return Err(invalid("the distance of fuzzy is between 0 and 1"));
                }
                condition.distance = Some(("fuzzy(", factor));
            }
            Word::Proximity => {
                let condition = self.last(Op::Search, "proximity stands right behind search")?;
                condition.distance = Some(("proximity(", call.number(0)?));
            }
            _ => {
                let form = FORMS.iter().position(|(method, ..)| method.as_bytes() == call.name);
                self.condition(form.ok_or_else(|| invalid("a query has no such method"))?, call, names, parameters)?;
            }
        }
        Ok(())
    }

    fn condition(
        &mut self,
        mut form: usize,
        call: &Call<'a>,
        names: &Names<'_>,
        parameters: &mut Parameters<'a>,
    ) -> Result<(), Error> {
        let field = names.name(&call.text(0)?);
        self.join();
        if form <= NOT_EQUALS && self.negate {
            self.negate = false;
            form = EQUALS + NOT_EQUALS - form;
        }
        // "That have it, and not …" would be none of those without it.
        self.negated((form != EXISTS).then_some(&field));
        let Some((_, op, template)) = FORMS.get(form) else { return Ok(()) };
        if *op == Op::AllIn && call.value(1) == b"[]" {
            self.list.push(Clause::True);
            return Ok(());
        }
        let or = |at: usize, open: &'static str| match call.value(at) {
            b"null" => open.as_bytes(),
            value => value,
        };
        let mut parameter = String::new();
        if *op != Op::Exists {
            parameter = parameters.add(match op {
                Op::Above | Op::Between => or(1, r#""*""#),
                Op::Below => or(1, r#""NULL""#),
                _ => call.value(1),
            });
        }
        if *op == Op::Between {
            parameter.push_str(" and $");
            parameter.push_str(&parameters.add(or(2, r#""NULL""#)));
        }
        if *op == Op::Search && call.value(2) == br#""AND""# {
            parameter.push_str(", and");
        }
        let mut text = filled(template, &field, &parameter);
        if call.is_true(if *op == Op::Between { 3 } else { 2 }) {
            text = ["exact(", &text, ")"].concat();
        }
        self.list.push(Clause::Where(Condition { op: *op, text, boost: None, distance: None }));
        Ok(())
    }

    /// Between two conditions stands an operator, said or not; behind a search it is `or`.
    fn join(&mut self) {
        if !matches!(self.list.last(), Some(Clause::Where(_) | Clause::Close(_) | Clause::True)) {
            return;
        }
        let last = self.list.iter().rev().find_map(|clause| match clause {
            Clause::Where(condition) => Some(condition.op == Op::Search),
            _ => None,
        });
        self.list.push(Clause::Operator(if self.any || last == Some(true) { "or" } else { "and" }));
    }

    /// Writes down the negation that was asked for. RavenDB knows no query that is only negative: "those that have the
    /// field, and not …".
    fn negated(&mut self, field: Option<&str>) {
        if !core::mem::take(&mut self.negate) {
            return;
        }
        if matches!(self.list.last(), None | Some(Clause::Open(_))) {
            self.list.push(match field {
                None => Clause::True,
                Some(field) => Clause::Where(Condition {
                    op: Op::Exists,
                    text: ["exists(", field, ")"].concat(),
                    boost: None,
                    distance: None,
                }),
            });
            self.list.push(Clause::Operator("and"));
        }
        self.list.push(Clause::Not);
    }

    fn not_twice(&self) -> Result<(), Error> {
        if matches!(self.list.last(), Some(Clause::Operator(_))) {
            return Err(misplaced("there is an operator at this place already"));
        }
        Ok(())
    }

    fn operator(&mut self, name: &'static str) -> Result<(), Error> {
        self.not_twice()?;
        if !self.list.is_empty() {
            self.list.push(Clause::Operator(name));
        }
        Ok(())
    }

    fn last(&mut self, op: Op, message: &'static str) -> Result<&mut Condition<'a>, Error> {
        match self.list.last_mut() {
            Some(Clause::Where(condition)) if condition.op == op => Ok(condition),
            _ => Err(misplaced(message)),
        }
    }

    fn boost(&mut self, call: &Call<'a>, parameters: &mut Parameters<'a>) -> Result<(), Error> {
        let factor = call.number(0)?;
        if factor == "1" {
            return Ok(());
        }
        match self.list.last_mut() {
            Some(Clause::Where(condition)) => condition.boost = Some(factor),
            Some(Clause::Close(parameter)) => {
                *parameter = Some(parameters.add(factor.as_bytes()));
                let mut depth = 0usize;
                for clause in self.list.iter_mut().rev() {
                    match clause {
                        Clause::Close(_) => depth += 1,
                        Clause::Open(boosted) => {
                            depth -= 1;
                            if depth == 0 {
                                *boosted = true;
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => return Err(misplaced("boost stands right behind a condition")),
        }
        Ok(())
    }

    pub(super) fn push(&self, text: &mut String) -> Result<(), Error> {
        if self.depth > 0 {
            return Err(misplaced("an openSubclause has no closeSubclause"));
        }
        let mut spaced = false;
        for (at, clause) in self.list.iter().enumerate() {
            if at == 0 {
                text.push_str(if self.intersects { " where intersect(" } else { " where " });
            }
            if spaced && !matches!(clause, Clause::Close(_) | Clause::Intersect) {
                text.push(' ');
            }
            spaced = !matches!(clause, Clause::Open(_));
            match clause {
                Clause::Where(condition) => condition.push(text),
                Clause::Open(boosted) => text.push_str(if *boosted { "boost(" } else { "(" }),
                Clause::Close(boost) => {
                    if let Some(parameter) = boost {
                        text.push_str(", $");
                        text.push_str(parameter);
                    }
                    text.push(')');
                }
                Clause::True => text.push_str("true"),
                Clause::Not => text.push_str("not"),
                Clause::Operator(name) => text.push_str(name),
                Clause::Intersect => text.push(','),
            }
        }
        if self.intersects {
            text.push_str(") ");
        }
        Ok(())
    }
}

impl Condition<'_> {
    fn push(&self, text: &mut String) {
        let around = [self.boost.map(|factor| ("boost(", factor)), self.distance];
        for (name, _) in around.iter().flatten() {
            text.push_str(name);
        }
        text.push_str(&self.text);
        for (_, factor) in around.iter().flatten().rev() {
            text.extend([", ", factor, ")"]);
        }
    }
}

/// A template with its field and its parameter.
fn filled(template: &str, field: &str, parameter: &str) -> String {
    let mut text = String::new();
    for letter in template.chars() {
        match letter {
            '@' => text.push_str(field),
            '#' => text.push_str(parameter),
            _ => text.push(letter),
        }
    }
    text
}
