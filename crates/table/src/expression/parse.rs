//! From text to the small tree of operations that we evaluate; everything else of SQL is refused by name.

use std::collections::BTreeSet;

use sqlparser::ast::{
    BinaryOperator, CeilFloorKind, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator,
    Value,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::TableError;

/// An expression whose names are not yet looked up.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Number(f64),
    Text(String),
    Variable(String),
    Negate(Box<Node>),
    Arithmetic(ArithmeticOperator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
    Compare(Comparator, Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Not(Box<Node>),
    IsMissing(Box<Node>),
    In(Box<Node>, Vec<Node>),
}

/// The four operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// a + b
    Plus,
    /// a - b
    Minus,
    /// a * b
    Times,
    /// a / b
    Over,
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// =
    Equal,
    /// <>
    NotEqual,
    /// <
    Less,
    /// <=
    AtMost,
    /// >
    Greater,
    /// >=
    AtLeast,
}

/// The functions of the language, with the numbers of arguments they take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// pow(base, exponent)
    Pow,
    /// abs(x)
    Abs,
    /// min(a, b, …)
    Min,
    /// max(a, b, …)
    Max,
    /// floor(x)
    Floor,
    /// ceil(x)
    Ceil,
    /// round(x) or round(x, digits), halves away from zero
    Round,
    /// sqrt(x)
    Sqrt,
    /// ln(x), the natural logarithm
    Ln,
    /// exp(x)
    Exp,
}

const FUNCTIONS: [(&str, Function, std::ops::RangeInclusive<usize>); 11] = [
    ("pow", Function::Pow, 2..=2),
    ("power", Function::Pow, 2..=2),
    ("abs", Function::Abs, 1..=1),
    ("min", Function::Min, 2..=usize::MAX),
    ("max", Function::Max, 2..=usize::MAX),
    ("floor", Function::Floor, 1..=1),
    ("ceil", Function::Ceil, 1..=1),
    ("round", Function::Round, 1..=2),
    ("sqrt", Function::Sqrt, 1..=1),
    ("ln", Function::Ln, 1..=1),
    ("exp", Function::Exp, 1..=1),
];

/// Parses `text` into a tree, or says what is not understood.
pub(crate) fn parse(text: &str) -> Result<Node, TableError> {
    let refuse = |message: String| TableError::Expression { expression: text.to_owned(), message };
    if text.trim().is_empty() {
        return Err(refuse("the expression is empty".into()));
    }
    let dialect = GenericDialect {};
    let tokens = Tokenizer::new(&dialect, text).tokenize().map_err(|error| refuse(error.to_string()))?;
    let written: Vec<&Token> = tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    // The sign of a number in a list is no operator of the tree.
    let is_sign = |at: usize| {
        *written[at] == Token::Minus && at > 0 && matches!(written[at - 1], Token::Comma | Token::LParen)
    };
    let operators = (0..written.len()).filter(|at| is_operator(written[*at]) && !is_sign(*at)).count();
    if operators > MOST_OPERATORS {
        let message = format!(
            "it has {operators} operators, and {MOST_OPERATORS} are the most of one expression; write several rules, or `in (…)` for a list of levels"
        );
        return Err(TableError::Expression { expression: shortened(text), message });
    }
    let mut parser = Parser::new(&dialect).with_tokens(spell_missing_as_null(tokens));
    let tree = parser.parse_expr().map_err(|error| refuse(plain(&error.to_string())))?;
    if parser.peek_token_ref().token != Token::EOF {
        return Err(refuse(format!("`{}` is not expected here", parser.peek_token_ref().token)));
    }
    convert(&tree).map_err(refuse)
}

/// The most operators of one expression: trees are walked by recursion, and a tree is no deeper than its operators are many.
const MOST_OPERATORS: usize = 500;

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            matches!(word.keyword, Keyword::AND | Keyword::OR | Keyword::NOT | Keyword::IS | Keyword::BETWEEN)
        }
        Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::Eq | Token::DoubleEq | Token::Neq => {
            true
        }
        Token::Lt | Token::Gt | Token::LtEq | Token::GtEq | Token::LParen => true,
        _ => false,
    }
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{} …", &text[..at]),
        None => text.to_owned(),
    }
}

/// `is missing` and `is not missing` are what people say; SQL says null.
fn spell_missing_as_null(mut tokens: Vec<Token>) -> Vec<Token> {
    let words: Vec<usize> =
        (0..tokens.len()).filter(|at| !matches!(tokens[*at], Token::Whitespace(_))).collect();
    for (order, at) in words.iter().enumerate() {
        let Token::Word(word) = &tokens[*at] else { continue };
        let keyword_before = |steps: usize| {
            order.checked_sub(steps).and_then(|before| match &tokens[words[before]] {
                Token::Word(word) => Some(word.keyword),
                _ => None,
            })
        };
        let after_is = keyword_before(1) == Some(Keyword::IS)
            || (keyword_before(1) == Some(Keyword::NOT) && keyword_before(2) == Some(Keyword::IS));
        if after_is && word.quote_style.is_none() && word.value.eq_ignore_ascii_case("missing") {
            tokens[*at] = Token::make_keyword("NULL");
        }
    }
    tokens
}

fn plain(message: &str) -> String {
    message.trim_start_matches("sql parser error: ").to_owned()
}

fn convert(expr: &Expr) -> Result<Node, String> {
    let boxed = |expr: &Expr| convert(expr).map(Box::new);
    Ok(match expr {
        Expr::Nested(inner) => convert(inner)?,
        Expr::Identifier(name) => Node::Variable(name.value.clone()),
        Expr::Value(value) => constant(&value.value)?,
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match convert(expr)? {
            Node::Number(value) => Node::Number(-value),
            other => Node::Negate(Box::new(other)),
        },
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => convert(expr)?,
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Node::Not(boxed(expr)?),
        Expr::IsNull(inner) => Node::IsMissing(boxed(inner)?),
        Expr::IsNotNull(inner) => Node::Not(Box::new(Node::IsMissing(boxed(inner)?))),
        Expr::InList { expr, list, negated } => {
            let node = Node::In(boxed(expr)?, list.iter().map(convert).collect::<Result<_, _>>()?);
            negate_if(*negated, node)
        }
        Expr::Between { expr, negated, low, high } => {
            let node = Node::And(
                Box::new(Node::Compare(Comparator::AtLeast, boxed(expr)?, boxed(low)?)),
                Box::new(Node::Compare(Comparator::AtMost, boxed(expr)?, boxed(high)?)),
            );
            negate_if(*negated, node)
        }
        Expr::BinaryOp { left, op, right } => binary(boxed(left)?, op, boxed(right)?)?,
        Expr::Floor { expr, field: CeilFloorKind::DateTimeField(_) } => call("floor", vec![convert(expr)?])?,
        Expr::Ceil { expr, field: CeilFloorKind::DateTimeField(_) } => call("ceil", vec![convert(expr)?])?,
        Expr::Function(function) => {
            let FunctionArguments::List(list) = &function.args else {
                return Err(format!("the function `{}` needs arguments in parentheses", function.name));
            };
            let arguments = list.args.iter().map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => convert(expr),
                other => Err(format!("`{other}` is not an argument we understand")),
            });
            call(&function.name.to_string(), arguments.collect::<Result<_, _>>()?)?
        }
        Expr::CompoundIdentifier(parts) => {
            let name = parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".");
            return Err(format!("put the name \"{name}\" in double quotes if it is one variable"));
        }
        other => return Err(format!("`{other}` is not part of the expressions used here")),
    })
}

fn negate_if(negated: bool, node: Node) -> Node {
    if negated { Node::Not(Box::new(node)) } else { node }
}

fn constant(value: &Value) -> Result<Node, String> {
    match value {
        Value::Number(digits, _) => match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Node::Number(number)),
            _ => Err(format!("`{digits}` is not a number")),
        },
        Value::SingleQuotedString(text) => Ok(Node::Text(text.clone())),
        Value::Boolean(truth) => Ok(Node::Text(truth.to_string())),
        Value::Null => Err("write `is missing` instead of a comparison with null".into()),
        other => Err(format!("`{other}` is not a constant we understand")),
    }
}

fn binary(left: Box<Node>, operator: &BinaryOperator, right: Box<Node>) -> Result<Node, String> {
    use ArithmeticOperator::{Minus, Over, Plus, Times};
    use Comparator::{AtLeast, AtMost, Equal, Greater, Less, NotEqual};
    Ok(match operator {
        BinaryOperator::And => Node::And(left, right),
        BinaryOperator::Or => Node::Or(left, right),
        BinaryOperator::Plus => Node::Arithmetic(Plus, left, right),
        BinaryOperator::Minus => Node::Arithmetic(Minus, left, right),
        BinaryOperator::Multiply => Node::Arithmetic(Times, left, right),
        BinaryOperator::Divide => Node::Arithmetic(Over, left, right),
        BinaryOperator::Eq => Node::Compare(Equal, left, right),
        BinaryOperator::NotEq => Node::Compare(NotEqual, left, right),
        BinaryOperator::Lt => Node::Compare(Less, left, right),
        BinaryOperator::LtEq => Node::Compare(AtMost, left, right),
        BinaryOperator::Gt => Node::Compare(Greater, left, right),
        BinaryOperator::GtEq => Node::Compare(AtLeast, left, right),
        other => return Err(format!("the operator `{other}` is not part of the expressions used here")),
    })
}

fn call(name: &str, arguments: Vec<Node>) -> Result<Node, String> {
    let lower = name.to_lowercase();
    let Some((_, function, arity)) = FUNCTIONS.iter().find(|(known, _, _)| *known == lower) else {
        let known = FUNCTIONS.iter().map(|(known, _, _)| *known);
        return Err(format!("there is no function `{name}`{}", crate::similar_name::hint(name, known)));
    };
    if !arity.contains(&arguments.len()) {
        return Err(format!("the function `{name}` does not take {} arguments", arguments.len()));
    }
    Ok(Node::Call(*function, arguments))
}

impl Node {
    pub(crate) fn collect_variables<'a>(&'a self, names: &mut BTreeSet<&'a str>) {
        match self {
            Self::Variable(name) => {
                names.insert(name);
            }
            Self::Number(_) | Self::Text(_) => {}
            Self::Negate(inner) | Self::Not(inner) | Self::IsMissing(inner) => inner.collect_variables(names),
            Self::Arithmetic(_, left, right)
            | Self::Compare(_, left, right)
            | Self::And(left, right)
            | Self::Or(left, right) => {
                left.collect_variables(names);
                right.collect_variables(names);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|node| node.collect_variables(names)),
            Self::In(tested, list) => {
                tested.collect_variables(names);
                list.iter().for_each(|node| node.collect_variables(names));
            }
        }
    }
}

impl Comparator {
    /// The comparison that says the same with its sides exchanged.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }

    /// Whether it holds for two things that compare like this.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    /// Whether it asks for equality only, not for an order.
    pub(crate) fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}
