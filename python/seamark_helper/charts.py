"""Draws Vega-Lite specifications for `seamark report`, and gives the scripts that draw them in a page.

charts.py draw FORMAT FOLDER: JSON lines {"name": ..., "spec": ...} on standard input become FOLDER/NAME.FORMAT
(svg or png). charts.py bundle: Vega, Vega-Lite and Vega-Embed as one script on standard output: seamarkVega(), which a page
calls when it has something to draw, defines vegaEmbed(). Nothing is loaded from a network.
Exit codes: 0; 3 there is no vl-convert; 4 a specification cannot be drawn, with the reason as the last line of
standard error.
"""

import json
import os
import sys

NO_VL_CONVERT = 3
NOT_DRAWN = 4
# Of a PNG: twice the pixels, for screens that have them.
SCALE = 2.0


def draw(vl_convert, form, folder, lines):
    for line in lines:
        job = json.loads(line)
        name = os.path.basename(job["name"])
        path = os.path.join(folder, "%s.%s" % (name, form))
        try:
            if form == "png":
                drawing = vl_convert.vegalite_to_png(job["spec"], scale=SCALE, allowed_base_urls=[])
            else:
                drawing = vl_convert.vegalite_to_svg(job["spec"], allowed_base_urls=[]).encode()
        except ValueError as error:
            reason = " ".join(str(error).split())
            print("%s: %s" % (name, reason[:500] or "no reason"), file=sys.stderr)
            return NOT_DRAWN
        with open(path, "wb") as file:
            file.write(drawing)
    return 0


def bundle(vl_convert, out):
    script = vl_convert.javascript_bundle()
    out.write(
        "// vl-convert %s: Vega %s, Vega-Lite %s, Vega-Embed %s\n"
        % (
            vl_convert.__version__,
            vl_convert.get_vega_version(),
            vl_convert.get_vegalite_versions()[-1],
            vl_convert.get_vega_embed_version(),
        )
    )
    # A function: its content is first run when it is called, and its names stay its own.
    out.write("window.seamarkVega = () => {\n%s\n};\n" % script)
    return 0


def main(arguments):
    try:
        import vl_convert
    except ImportError as error:
        print("no vl-convert: %s" % error, file=sys.stderr)
        return NO_VL_CONVERT
    if arguments[:1] == ["bundle"]:
        with open(1, "w", encoding="utf-8", newline="\n", closefd=False) as out:
            return bundle(vl_convert, out)
    _, form, folder = arguments
    with open(0, encoding="utf-8", closefd=False) as lines:
        return draw(vl_convert, form, folder, lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
