// The grammar of Tessera, in reading order: what the parser is asked for, statements, types, expressions, words.
//
// A program is a list of statements, each ended by a newline or by `;`. Which newlines count is decided between lexer and
// parser (frontend/statements.cpp): those that do arrive here as END, together with `;`, and all others are dropped. The
// parser is handed one statement at a time, so that an error in one hides nothing in the next.
grammar Tessera;

tokens { END }

// ---- What the parser is asked for ------------------------------------------------------------------------------------

statementAlone : statement EOF ;

// `f32[16@y, 16, 16@x]{+z}` and `x:4,y:2`, as they stand on a command line.
typeAlone : arrayType EOF ;
meshAlone : (loneAxes | '[' meshAxes ']') onDevices? place? EOF ;
loneAxes : loneAxis (',' loneAxis)* ','? ;
// No expression, whose last type could have an `on` of its own.
loneAxis : name ':' arithmetic namedCut* ;

// ---- Statements ------------------------------------------------------------------------------------------------------

statement
  : meshStatement
  | letStatement
  | fnStatement
  | printStatement
  | showStatement
  | planStatement
  | saveStatement
  | assertStatement
  | useStatement
  | expression
  ;

meshStatement : 'mesh' name '=' '[' meshAxes ']' onDevices? place? ;
meshAxes : meshAxis (',' meshAxis)* ','? ;
// After its size an axis may have cuts: lists of weights, `d: 3 work(2,1,1)`.
meshAxis : name ':' expression namedCut* ;
namedCut : name '(' expression (',' expression)* ','? ')' ;
// The devices of the run that the mesh lies on: `on 8:16`, or several ranges in their order, `on (4:8, 0:4)`.
onDevices : 'on' (deviceRange | '(' deviceRange (',' deviceRange)* ','? ')') ;
deviceRange : expression ':' expression ;
// Where the axes lie on the levels of a machine: `place [[4, 4], [1, 4]]` or `place auto`. Both words stay names; that they
// are these two is seen to where the tree is built.
place : name (name | '[' placeRow (',' placeRow)* ','? ']') ;
placeRow : '[' expression (',' expression)* ','? ']' ;

letStatement : 'let' (name (':' type)? | '(' name (',' name)+ ')') '=' expression ;

// In an `auto fn` layouts are chosen: of parameters `T auto`, of results `T as w`, over the axes that are named.
fnStatement : 'auto'? 'fn' name '(' parameters? ')' results? chosenAxes? ('=' expression | block) ;
parameters : parameter (',' parameter)* ','? ;
parameter : name ':' type 'auto'? ;
results : '->' (result | '(' result (',' result)+ ')') ;
result : type ('as' name)? ;
chosenAxes : 'over' '(' name (',' name)* ','? ')' ;

printStatement : 'print' expression (',' expression)* ;
showStatement : 'show' expression ;
planStatement : 'plan' expression ;
saveStatement : ('save' | 'save_shards') '(' expression ',' path=STRING (',' keyword=name '=' array=STRING)? ')' ;
assertStatement : 'assert' expression (',' STRING)? ;
// `use "layers.tess"`: what another file declares; `with mesh`, its meshes, too.
useStatement : 'use' path=STRING ('with' 'mesh')? ;

// Statements, then one expression; before it only calls, loops and `if` may stand as statements. That the last item is an
// expression, and the others are none but those, is seen to where the tree is built, so that one token tells what an item
// is.
block : '{' blockItem (END blockItem?)* '}' ;
blockItem : letStatement | assertStatement | printStatement | showStatement | saveStatement | expression ;

// ---- Types -----------------------------------------------------------------------------------------------------------

type : arrayType | recordType ;
arrayType : element shape? layout ;

// `{w: f32[D, F], b: f32[F]}`. A `{` before a name and `:`, or before `..`, is a record's and no block's; newlines in it
// do not count.
recordType : '{' typeField (',' typeField)* ','? '}' ;
typeField : name ':' type ;

// After `as` the element type may be left out: it stays what it is.
newType : element shape? layout | shape layout | recordType ;

element : 'bool' | 'i32' | 'i64' | 'f32' | 'f64' | 'bf16' | 'f16' | 'i8' | 'u8' | 'i16' | 'u16' | 'u32' | 'c64' | 'c128' ;

// `[..]` is any shape, of a parameter whose layout is open, too.
shape : '[' ('..' | dimension (',' dimension)* ','?)? ']' ;
dimension : extent ('@' axes)? ;
extent : INT | '_' | word | '(' expression ')' ;

// The major axis comes first.
axes : axis | '(' axis (',' axis)* ')' ;
// `d`, or by one of its cuts: `d.work`.
axis : name ('.' cut=name)? ;

layout : (pending | '?')? ('on' name)? ;
pending : '{' ('+' | '*' | 'max' | 'min') name (',' name)* '}' ;

// ---- Expressions -----------------------------------------------------------------------------------------------------

// From the loosest to the tightest. `as` and `with` end an expression: only more of them may follow.
expression : condition restatement* ;
restatement : 'as' newType ('within' size)? | 'with' replacement (',' replacement)* ;
// `[1:-1, 0] = v`: a part, and what comes in its place.
replacement : subscripts '=' condition ;
size : INT | SIZE ;

condition
  : comparison
  | op='!' operand=condition
  | left=condition op='&&' right=condition
  | left=condition op='||' right=condition
  ;

// Comparisons do not chain.
comparison : left=arithmetic (op=('==' | '!=' | '<' | '<=' | '>' | '>=') right=arithmetic)? ;

arithmetic
  : (atom | compound) (subscripts | member)*
  | <assoc=right> left=arithmetic op='**' right=arithmetic
  | op=('-' | '~') operand=arithmetic
  | left=arithmetic op=('*' | '/' | '%' | '@') right=arithmetic
  | left=arithmetic op=('+' | '-') right=arithmetic
  | left=arithmetic op=('<<' | '>>') right=arithmetic
  | left=arithmetic op='&' right=arithmetic
  | left=arithmetic op='^' right=arithmetic
  | left=arithmetic op='|' right=arithmetic
  ;

subscripts : '[' subscript (',' subscript)* ','? ']' ;
subscript
  : start=expression (range=':' stop=expression? (':' step=expression?)?)?
  | range=':' stop=expression? (':' step=expression?)?
  ;

member : '.' name ;

atom
  : INT
  | FLOAT
  | IMAGINARY
  | STRING
  | 'true'
  | 'false'
  | gradient
  | name arguments?
  | element '(' expression ')'
  | list
  | record
  | parentheses
  ;

arguments : '(' (argument (',' argument)* ','?)? ')' ;
argument : (name '=')? (arrayType | expression) ;

// `grad` and `again` are names, too.
gradient : 'grad' '(' function=name (',' keyword=name '=' wrt)? ','? ')' arguments ;
wrt : name | '[' name (',' name)* ','? ']' ;

list : '[' (expression (',' expression)* ','?)? ']' ;

// `{w: a, b: c}`; `{..r, w: a}` has r's other fields.
record : '{' ('..' base=expression (',' recordField)* | recordField (',' recordField)*) ','? '}' ;
recordField : name ':' expression ;

// One item only groups; two or more are a tuple.
parentheses : '(' expression (',' expression)* ')' ;

compound
  : ifExpression
  | loopExpression
  | pipelineExpression
  | scanExpression
  | 'local' block
  | 'again' block
  | block
  ;

// Without `else`, and with blocks of statements alone, it is a statement; where the tree is built, that is seen to.
ifExpression : 'if' expression block ('else' (block | ifExpression))? ;

// Behind `while` stands a bound after which it is an error, `max=1000`; that the name is this one is seen to where the tree
// is built, and that no scan or pipeline has `const`.
loopExpression
  : 'loop' carried (',' carried)* (
      'for' 'const'? index=name '<' bound=expression ('while' during=expression)?
      | 'while' during=expression (',' limited=name '=' limit=expression)?
    ) block
  ;
carried : name '=' expression ;

// The order in which it takes its rounds is named behind `by`. Both words are names, too.
pipelineExpression : 'pipeline' carried (',' carried)* 'for' 'const'? name '<' expression ('by' STRING)? block ;

// Its block gives the carried values of the next turn, then what is kept of each turn.
scanExpression : 'scan' carried (',' carried)* 'for' 'const'? name '<' expression block ;

// ---- Words -----------------------------------------------------------------------------------------------------------

name : word | '_' ;

// `max` and `min` are functions too, and `grad`, `again`, `pipeline`, `scan`, `by`, `const`, `auto`, `over` and `use` mean
// something only where they are followed by it; none of them is a keyword.
word : NAME | 'max' | 'min' | 'grad' | 'again' | 'pipeline' | 'scan' | 'by' | 'const' | 'auto' | 'over' | 'use' ;

MESH : 'mesh' ;
LET : 'let' ;
FN : 'fn' ;
PRINT : 'print' ;
SHOW : 'show' ;
PLAN : 'plan' ;
SAVE : 'save' ;
SAVE_SHARDS : 'save_shards' ;
ASSERT : 'assert' ;
AS : 'as' ;
ON : 'on' ;
LOCAL : 'local' ;
WITH : 'with' ;
WITHIN : 'within' ;
LOOP : 'loop' ;
FOR : 'for' ;
WHILE : 'while' ;
IF : 'if' ;
ELSE : 'else' ;
TRUE : 'true' ;
FALSE : 'false' ;
BOOL : 'bool' ;
I32 : 'i32' ;
I64 : 'i64' ;
F32 : 'f32' ;
F64 : 'f64' ;
BF16 : 'bf16' ;
F16 : 'f16' ;
I8 : 'i8' ;
U8 : 'u8' ;
I16 : 'i16' ;
U16 : 'u16' ;
U32 : 'u32' ;
C64 : 'c64' ;
C128 : 'c128' ;
MAX : 'max' ;
MIN : 'min' ;
GRAD : 'grad' ;
AGAIN : 'again' ;
PIPELINE : 'pipeline' ;
SCAN : 'scan' ;
BY : 'by' ;
CONST : 'const' ;
AUTO : 'auto' ;
OVER : 'over' ;
USE : 'use' ;

LEFT_PAREN : '(' ;
RIGHT_PAREN : ')' ;
LEFT_SQUARE : '[' ;
RIGHT_SQUARE : ']' ;
LEFT_BRACE : '{' ;
RIGHT_BRACE : '}' ;
COMMA : ',' ;
COLON : ':' ;
QUESTION : '?' ;
SPREAD : '..' ;
DOT : '.' ;
ARROW : '->' ;
SHIFT_LEFT : '<<' ;
SHIFT_RIGHT : '>>' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
LESS_EQUAL : '<=' ;
GREATER_EQUAL : '>=' ;
LESS : '<' ;
GREATER : '>' ;
ASSIGN : '=' ;
LOGICAL_OR : '||' ;
LOGICAL_AND : '&&' ;
BIT_OR : '|' ;
BIT_AND : '&' ;
BIT_XOR : '^' ;
BIT_NOT : '~' ;
NOT : '!' ;
POWER : '**' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
AT : '@' ;
PLUS : '+' ;
MINUS : '-' ;

UNDERSCORE : '_' ;
NAME : [\p{Letter}_] [\p{Letter}_0-9]* ;

INT : DIGITS ;
FLOAT : DIGITS '.' DIGITS? EXPONENT? | '.' DIGITS EXPONENT? | DIGITS EXPONENT ;
IMAGINARY : ( INT | FLOAT ) 'j' ;
fragment DIGITS : [0-9] ('_'? [0-9])* ;
fragment EXPONENT : [eE] [+-]? DIGITS ;

// A number with letters at its end: a size, where one may stand.
SIZE : [0-9] [0-9_.]* [\p{Letter}_] [\p{Letter}_0-9.]* ;

// Escapes are looked at later, one by one.
STRING : '"' ('\\' ~[\r\n] | ~["\\\r\n])* '"' ;
OPEN_STRING : '"' ('\\' ~[\r\n] | ~["\\\r\n])* '\\'? ;

COMMENT : '#' ~[\r\n]* ;
NEWLINE : '\r'? '\n' ;
SEMICOLON : ';' ;
BLANK : [ \t]+ -> skip ;

// Whatever is left, so that the lexer never fails: it is refused by name later.
UNKNOWN : . ;
