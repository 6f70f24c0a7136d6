"""A hook of MkDocs: code blocks of MLIR and PTX have colours. Pygments has a lexer of neither."""
import pygments.lexers
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MLIRLexer(RegexLexer):
    name, aliases, filenames = "MLIR", ["mlir"], ["*.mlir"]
    tokens = {"root": [
        (r"\s+", Text),
        (r"//.*", Comment.Single),
        (r'"(\\.|[^"\\])*"', String),
        (r"%[\w$.#-]+", Name.Variable),
        (r"@[\w$.]+", Name.Function),
        (r"\^\w+", Name.Label),
        (r"![\w.]+", Keyword.Type),
        (r"#[\w.]+", Name.Decorator),
        # The name of an operation has that of its dialect.
        (r"[a-z_]\w*\.[\w.]+", Name.Builtin),
        (r"\b([su]?i\d+|bf16|f\d+\w*|index|none|memref|tensor|vector|tuple)\b", Keyword.Type),
        # Extents and their element type, as in 128x64xbf16.
        (r"((?:\d+|\?)x)+", Number.Integer),
        (r"-?\d+(\.\d+)?([eE][+-]?\d+)?|0x[0-9a-fA-F]+", Number),
        (r"\b(module|attributes|true|false|loc|to|step|iter_args|do|else|return)\b", Keyword),
        (r"->|[=+*/:]", Operator),
        (r"[\w$]+", Name),
        (r"[^\w\s]", Punctuation)]}


class PTXLexer(RegexLexer):
    name, aliases, filenames = "PTX", ["ptx"], ["*.ptx"]
    tokens = {"root": [
        (r"\s+", Text),
        (r"//.*", Comment.Single),
        (r'"[^"]*"', String),
        (r"%[\w$]+", Name.Variable),
        (r"@!?(?=%)", Operator),
        (r"\$?\w+(?=:(?!:))", Name.Label),
        (r"\.[a-z]\w*", Keyword),
        (r"([a-z]\w*)((?:(?:\.|::)\w+)+)", bygroups(Name.Builtin, Name.Builtin)),
        (r"-?(0[xfdXFD][0-9a-fA-F]+|\d+)", Number),
        (r"[\w$]+", Name),
        (r"[^\w\s]", Punctuation)]}


def on_config(config):
    for lexer in (MLIRLexer, PTXLexer):
        pygments.lexers.LEXERS[lexer.__name__] = (__name__, lexer.name, tuple(lexer.aliases), tuple(lexer.filenames), ())
        # What is looked up by name is imported by the name of its module, which a hook does not have.
        pygments.lexers._lexer_cache[lexer.name] = lexer
    return config
