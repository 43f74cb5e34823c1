//! From text to the tree of a formula.

use table::expression::ArithmeticOperator;
use table::similar_name;

use super::arithmetic::{Arithmetic, FUNCTIONS, is_name_character, starts_name};

/// One side of a formula, before names are looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A variable, and where its name stands.
    Variable(String, usize),
    /// A variable of which every value is a level, and where its name stands.
    Factor(String, usize),
    /// A number computed from variables.
    Computed(Arithmetic),
    /// All variables but those of the response.
    Dot(usize),
    /// The intercept, there or not.
    Intercept(bool),
    /// Signed summands.
    Sum(Vec<(bool, Node)>),
    Interaction(Box<Node>, Box<Node>),
    Crossing(Box<Node>, Box<Node>),
    Power(Box<Node>, u32),
}

/// What stands where: characters counted from 1, and a sentence.
pub(crate) type Refusal = (usize, String);

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(f64, String),
    Sign(char),
    End,
}

/// Response and predictors.
pub(crate) fn parse(text: &str) -> Result<(Node, Node), Refusal> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0 };
    let response = parser.operand()?;
    if matches!(response, Node::Dot(_) | Node::Intercept(_) | Node::Sum(_)) {
        return Err((1, "the response must be one variable or a function of variables".into()));
    }
    parser.expect(
        '~',
        "write the response, then `~`, then the predictors, as in `income ~ age + sex`; a name with signs in it stands in backticks",
    )?;
    let predictors = parser.sum()?;
    match parser.token() {
        Token::End => Ok((response, predictors)),
        _ => parser.refuse("an operator is needed here: one of + - : * ^"),
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Refusal> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        let take_while = |from: usize, test: &dyn Fn(char) -> bool| {
            (from..characters.len()).find(|at| !test(characters[*at])).unwrap_or(characters.len())
        };
        let token = match characters[at] {
            blank if blank.is_whitespace() => {
                at += 1;
                continue;
            }
            '`' => {
                let end = take_while(at + 1, &|character| character != '`');
                if end == characters.len() {
                    return Err((start + 1, "a back quote opens here and never closes".into()));
                }
                at = end + 1;
                Token::Name(characters[start + 1..end].iter().collect())
            }
            digit if digit.is_ascii_digit() => {
                at = take_while(at, &|character| character.is_ascii_digit() || character == '.');
                let exponent = at < characters.len() && matches!(characters[at], 'e' | 'E');
                if exponent {
                    let signed = characters.get(at + 1).is_some_and(|sign| matches!(sign, '+' | '-'));
                    at = take_while(at + 1 + usize::from(signed), &|character| character.is_ascii_digit());
                }
                let digits: String = characters[start..at].iter().collect();
                let value = digits.parse().map_err(|_| (start + 1, format!("`{digits}` is not a number")))?;
                Token::Number(value, digits)
            }
            first if starts_name(first) => {
                at = take_while(at, &is_name_character);
                Token::Name(characters[start..at].iter().collect())
            }
            sign @ ('~' | '+' | '-' | '*' | ':' | '^' | '/' | '(' | ')') => {
                at += 1;
                Token::Sign(sign)
            }
            other => {
                let message =
                    format!("`{other}` is not part of formulas; put names with such signs in back quotes");
                return Err((start + 1, message));
            }
        };
        let is_quoted_dot = characters[start] == '`';
        let token = match token {
            Token::Name(name) if name == "." && !is_quoted_dot => Token::Sign('.'),
            other => other,
        };
        tokens.push((token, start + 1));
    }
    tokens.push((Token::End, characters.len() + 1));
    Ok(tokens)
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn position(&self) -> usize {
        self.tokens[self.next].1
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refusal> {
        Err((self.position(), message.into()))
    }

    fn take(&mut self, sign: char) -> bool {
        let found = *self.token() == Token::Sign(sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: char, message: &str) -> Result<(), Refusal> {
        if self.take(sign) { Ok(()) } else { self.refuse(message) }
    }

    /// Terms joined by + and −.
    fn sum(&mut self) -> Result<Node, Refusal> {
        let mut summands = Vec::new();
        let mut positive = !self.take('-');
        if positive {
            self.take('+');
        }
        loop {
            summands.push((positive, self.crossing()?));
            positive = if self.take('+') {
                true
            } else if self.take('-') {
                false
            } else {
                return Ok(Node::Sum(summands));
            };
        }
    }

    fn crossing(&mut self) -> Result<Node, Refusal> {
        let mut left = self.interaction()?;
        loop {
            if *self.token() == Token::Sign('/') {
                return self.refuse("nesting with `/` is not offered; write `a + a:b`");
            }
            if !self.take('*') {
                return Ok(left);
            }
            left = Node::Crossing(Box::new(left), Box::new(self.interaction()?));
        }
    }

    fn interaction(&mut self) -> Result<Node, Refusal> {
        let mut left = self.power()?;
        while self.take(':') {
            left = Node::Interaction(Box::new(left), Box::new(self.power()?));
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Node, Refusal> {
        let base = self.operand()?;
        if !self.take('^') {
            return Ok(base);
        }
        match self.token() {
            Token::Number(order, _) if order.fract() == 0.0 && (1.0..=100.0).contains(order) => {
                let order = *order as u32;
                self.next += 1;
                Ok(Node::Power(Box::new(base), order))
            }
            _ => self.refuse(
                "`^` needs a whole number from 1: the highest order of interactions; powers go into I(…)",
            ),
        }
    }

    fn operand(&mut self) -> Result<Node, Refusal> {
        let position = self.position();
        let token = self.token().clone();
        match token {
            Token::Sign('(') => {
                self.next += 1;
                let inner = self.sum()?;
                self.expect(')', "a closing parenthesis is needed here")?;
                Ok(inner)
            }
            Token::Sign('.') => {
                self.next += 1;
                Ok(Node::Dot(position))
            }
            Token::Number(value, _) if value == 0.0 || value == 1.0 => {
                self.next += 1;
                Ok(Node::Intercept(value == 1.0))
            }
            Token::Number(..) => {
                self.refuse("only 0 and 1 may stand alone: the intercept; arithmetic goes into I(…)")
            }
            Token::Name(name) if self.tokens[self.next + 1].0 == Token::Sign('(') => {
                if name == "factor" {
                    self.factor()
                } else {
                    self.call(&name).map(Node::Computed)
                }
            }
            Token::Name(name) => {
                self.next += 1;
                Ok(Node::Variable(name, position))
            }
            Token::Sign(_) | Token::End => self.refuse("a variable is needed here"),
        }
    }

    /// `factor(x)`, with the name as next token.
    fn factor(&mut self) -> Result<Node, Refusal> {
        self.next += 2;
        let position = self.position();
        let Token::Name(name) = self.token().clone() else {
            return self.refuse("`factor` takes the name of one variable");
        };
        self.next += 1;
        self.expect(')', "`factor` takes the name of one variable, then a closing parenthesis")?;
        Ok(Node::Factor(name, position))
    }

    /// `I(…)` or a function, with the name as next token.
    fn call(&mut self, name: &str) -> Result<Arithmetic, Refusal> {
        let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
        if function.is_none() && name != "I" {
            let known = FUNCTIONS.iter().map(|(known, _)| *known);
            let hint = similar_name::hint(name, known);
            return self.refuse(format!(
                "there is no function `{name}`{hint}; there are log, sqrt, exp, abs, factor and I"
            ));
        }
        self.next += 2;
        let inner = Box::new(self.arithmetic_sum()?);
        self.expect(')', "a closing parenthesis is needed here")?;
        Ok(match function {
            Some((name, function)) => Arithmetic::Call(name, *function, inner),
            None => Arithmetic::Parentheses("I", inner),
        })
    }

    fn arithmetic_sum(&mut self) -> Result<Arithmetic, Refusal> {
        let mut left = self.arithmetic_product()?;
        loop {
            let operator = if self.take('+') {
                ArithmeticOperator::Plus
            } else if self.take('-') {
                ArithmeticOperator::Minus
            } else {
                return Ok(left);
            };
            left = Arithmetic::Operation(operator, Box::new(left), Box::new(self.arithmetic_product()?));
        }
    }

    fn arithmetic_product(&mut self) -> Result<Arithmetic, Refusal> {
        let mut left = self.arithmetic_sign()?;
        loop {
            let operator = if self.take('*') {
                ArithmeticOperator::Times
            } else if self.take('/') {
                ArithmeticOperator::Over
            } else {
                return Ok(left);
            };
            left = Arithmetic::Operation(operator, Box::new(left), Box::new(self.arithmetic_sign()?));
        }
    }

    fn arithmetic_sign(&mut self) -> Result<Arithmetic, Refusal> {
        if self.take('-') {
            return Ok(Arithmetic::Negate(Box::new(self.arithmetic_sign()?)));
        }
        let base = self.arithmetic_operand()?;
        if self.take('^') {
            return Ok(Arithmetic::Power(Box::new(base), Box::new(self.arithmetic_sign()?)));
        }
        Ok(base)
    }

    fn arithmetic_operand(&mut self) -> Result<Arithmetic, Refusal> {
        let position = self.position();
        match self.token().clone() {
            Token::Sign('(') => {
                self.next += 1;
                let inner = self.arithmetic_sum()?;
                self.expect(')', "a closing parenthesis is needed here")?;
                Ok(Arithmetic::Parentheses("", Box::new(inner)))
            }
            Token::Number(value, text) => {
                self.next += 1;
                Ok(Arithmetic::Constant(value, text))
            }
            Token::Name(name) if self.tokens[self.next + 1].0 == Token::Sign('(') => self.call(&name),
            Token::Name(name) => {
                self.next += 1;
                Ok(Arithmetic::Variable(name, position))
            }
            Token::Sign(_) | Token::End => self.refuse("a variable or a number is needed here"),
        }
    }
}
