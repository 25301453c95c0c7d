"""Hostile texts: bytes, brackets, lengths, nesting, numbers. Each ends in a diagnostic within seconds."""

import random

from limits import Hostile, garbage, main

DEEP = 100_000


class Bytes(Hostile):
    def test_nul(self):
        self.refused(b"let a = 1\0\n")
        self.refused(b"\0" * 1000)
        self.refused(b'print "a\0b"\n')
        self.refused(b"# a comment \0\n")

    def test_invalid_utf8(self):
        for piece in [b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"]:
            self.refused(b"let a = " + piece, "invalid-utf8", commands=("check",))
            self.refused(b'print "' + piece + b'"\n', "invalid-utf8", commands=("check", "run", "fmt"))

    def test_invisible_characters(self):
        for piece in ["\u202e", "\u200b", "\ufeff", "\u0007", "\x7f", "\u2028"]:
            self.survived(f"let a{piece} = 1\n")

    def test_garbage(self):
        for seed in range(5):
            self.refused(garbage(1 << 20, seed), commands=("check", "fmt"))
        printable = bytes(32 + byte % 95 for byte in garbage(1 << 20, 9))
        self.refused(printable, commands=("check", "fmt"))

    def test_soup_of_words(self):
        words = ("mesh let fn print show plan save assert as on local within loop for if else true false bool i32 f32 f64 a b m x "
                 "( ) [ ] { } , : ? -> == != <= >= < > = || && ! ** * / % @ + - 1 2.5 64MiB \"s\" ; max min iota sum").split()
        for seed in range(5):
            numbers = random.Random(seed)
            lines = (" ".join(numbers.choice(words) for _ in range(numbers.randrange(1, 25))) for _ in range(20_000))
            self.refused("\n".join(lines), commands=("check", "fmt"))

    def test_one_long_soup(self):
        numbers = random.Random(1)
        self.refused(" ".join(numbers.choice("( [ { a 1 + * , @ as if else".split()) for _ in range(300_000)))

    def test_prefixes_of_a_program(self):
        text = "mesh m = [x: 2]\nfn f(a: f32[4@x]?) -> f32[4@x] { let b = a * 2.0; b }\nprint \"s\", f(iota(f32[4]))\n"
        for end in range(0, len(text), 3):
            self.survived(text[:end], commands=("check",))


class Nesting(Hostile):
    def test_brackets(self):
        for left, right in ["()", "[]", "{}"]:
            self.refused("let a = " + left * DEEP + "1" + right * DEEP)
            self.refused("let a = " + left * DEEP)
            self.refused("let a = 1" + right * DEEP)
            self.refused(left * DEEP, commands=("check", "fmt"))
        self.refused("let a = " + "([{" * DEEP)
        self.refused("let a = " + "(]" * DEEP)

    def test_brackets_in_types(self):
        self.refused("let a: f32[" + "(" * DEEP + "1" + ")" * DEEP + "] = 1.0")
        self.refused("let a: f32" + "[" * DEEP)
        self.refused("let a: f32[8@" + "(" * DEEP)
        self.refused("fn f(a: f32" + "{+" * DEEP)

    def test_unary_operators(self):
        self.refused("let a = " + "-" * DEEP + "1")
        self.refused("let a = " + "- " * DEEP + "1")
        self.refused("let a = " + "!" * DEEP + "true")
        self.refused("let a = " + "-" * DEEP)
        self.refused("let a = " + "+" * DEEP + "1")

    def test_binary_chains(self):
        for operator in ["+", "-", "*", "**", "@", "&&", "||"]:
            word = "true" if operator in ("&&", "||") else "1"
            self.survived("let a = " + f"{word} {operator} " * DEEP + word, commands=("check", "fmt"))
        self.survived("let a = " + "1 < " * DEEP + "1", commands=("check",))

    def test_postfix_chains(self):
        self.survived("let a = iota(f32[4]) " + "as [4] " * DEEP, commands=("check", "fmt"))
        self.survived("let a = 1" + "[0]" * DEEP, commands=("check", "fmt"))
        self.survived("let a = f" + "(1)" * DEEP, commands=("check", "fmt"))

    def test_calls_in_calls(self):
        self.refused("let a = " + "abs(" * DEEP + "1" + ")" * DEEP)
        self.refused("let a = " + "f32(" * DEEP + "1" + ")" * DEEP)

    def test_branches_and_loops(self):
        self.survived("let a = " + "if true { 1 } else " * DEEP + "{ 2 }", commands=("check", "fmt"))
        self.refused("let a = " + "if true { " * DEEP + "1" + " } else { 1 }" * DEEP)
        self.refused("let a = " + "loop w = 1 for i < 2 { " * DEEP + "w" + " }" * DEEP)
        self.refused("let a = " + "{ let b = " * DEEP + "1" + "; b }" * DEEP)
        self.refused("let a = " + "local { " * DEEP + "1" + " }" * DEEP)

    def test_what_is_nested_moderately_is_accepted(self):
        self.accepted("let a = " + "(" * 50 + "1" + ")" * 50)
        self.accepted("let a = " + "-" * 50 + "1")
        self.accepted("let a = " + "1 + " * 100 + "1")
        self.accepted("let a = " + "if true { 1 } else " * 30 + "{ 2 }")

    def test_loops_a_few_deep_run(self):
        self.accepted("let a = " + "".join(f"loop w{k} = {f'w{k - 1}' if k else '1'} for i{k} < 2 {{ " for k in range(8))
                      + "w7 + 1" + " }" * 8 + "\nprint a\n")


class Lengths(Hostile):
    def test_a_line_of_100_mb(self):
        self.refused(b'let a = "' + b"x" * (100 << 20) + b'"', "source-too-large", commands=("check", "run", "fmt"))
        self.refused(b"1 " * (50 << 20), "source-too-large", commands=("check",))

    def test_lines_just_below_the_limit(self):
        size = 15 << 20
        self.accepted(b"# " + b"x" * size, commands=("check", "fmt"))
        self.accepted(b" " * size, commands=("check",))
        self.accepted(b"\n" * size, commands=("check",))
        self.survived(b"let " + b"a" * size + b" = 1", commands=("check",))
        self.survived(b'print "' + b"x" * size + b'"', commands=("check",))
        self.refused(b"let a = " + b"9" * size, commands=("check",))
        self.refused(b'print "' + b"x" * size, commands=("check",))
        self.refused(b"@" * size, commands=("check",))
        self.refused(b'"' * size, commands=("check",))
        self.refused(b";let" * (size // 4), commands=("check",))

    def test_many_statements(self):
        self.accepted(";" * DEEP, commands=("check",))
        self.accepted("let a = 1\n" * 20_000, commands=("check",))
        self.refused("let a = b\n" * 20_000, commands=("check",))
        self.refused("let = \n" * DEEP, commands=("check",))

    def test_long_lists(self):
        self.accepted("let a = [" + "1, " * 500_000 + "1]\nprint sum(a)\n")
        self.refused("let a = [" + "[1, 2], " * 100_000 + "[1]]", "ragged-list")
        self.refused("let a = [" + "1, " * 100_000 + "true]")
        self.refused("print " + "a, " * DEEP + "a", commands=("check",))
        self.survived("let a = max(" + "1, " * DEEP + "1)", commands=("check",))
        self.survived("fn f(" + ", ".join(f"a{k}: f32" for k in range(20_000)) + ") = a0\n", commands=("check",))
        self.refused("let (" + "a, " * DEEP + "a) = 1", commands=("check",))
        self.refused("let a = 1[" + "0, " * DEEP + "0]", commands=("check",))

    def test_long_types(self):
        self.refused("let a = iota(f32[" + "1, " * DEEP + "1])", commands=("check",))
        self.refused("mesh m = [" + ", ".join(f"x{k}: 1" for k in range(20_000)) + "]", commands=("check",))
        self.refused("mesh m = [x: 2]\nlet a = iota(f32[8@(" + "x, " * DEEP + "x)])", commands=("check",))
        self.refused("mesh m = [x: 2]\nlet a = iota(f32[8]{+" + "x, " * DEEP + "x})", commands=("check",))

    def test_long_texts_of_operations(self):
        self.refused('let a = einsum("' + "ij," * DEEP + 'jk->ik", 1, 2)', commands=("check",))
        self.refused('let a = einsum("' + "i" * DEEP + '->", 1)', commands=("check",))
        self.refused('let a = load("' + "../" * DEEP + 'a.npy", f32[4])', commands=("run",), statuses=(3,))


class Numbers(Hostile):
    def test_integers_beyond_64_bits(self):
        for digits in ["9223372036854775808", "18446744073709551616", "9" * 100, "9" * 100_000]:
            self.refused(f"let a = {digits}", "number-too-large", commands=("check",))
            self.refused(f"let a = iota(f32[{digits}])", "number-too-large", commands=("check",))
        self.accepted("let a = 9223372036854775807\nprint a\n")

    def test_floats_beyond_their_range(self):
        for digits in ["1e999", "1e" + "9" * 1000, "1." + "0" * 100_000 + "e400"]:
            self.survived(f"let a = {digits}")
        self.accepted("let a = 1e-999\nlet b = 0." + "0" * 100_000 + "1\n")

    def test_literals_that_do_not_fit(self):
        self.refused("let a = i32(1) + 2147483648", "literal-does-not-fit")
        self.refused("let a = iota(i32[4]) + 1.5")

    def test_arithmetic_at_the_edges(self):
        least = "(-9223372036854775807 - 1)"
        self.accepted(f"print {least} / -1, {least} % -1, abs({least}), {least} * -1, 2 ** 9223372036854775807\n")
        self.refused("print 1 / 0", "division-by-zero", commands=("run",))
        self.refused("let z = 0\nprint 1 % z", "division-by-zero", commands=("run",))
        self.refused("print 2 ** (0 - 1)", "negative-exponent", commands=("run",))
        self.refused("let a = iota(i64[4])\nprint a / a", "division-by-zero", commands=("run",))


if __name__ == "__main__":
    main()
