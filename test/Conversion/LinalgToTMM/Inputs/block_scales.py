"""Variants of examples/mlp_mxfp8.mlir, each with what is said of it and where, for -verify-diagnostics=only-expected."""
import sys

example = open(sys.argv[1]).read()
DIVISION, PRODUCT = "  %q6 = ", "  %y = linalg.matmul"


def change(text, changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def variant(place, kind, message, *changes, text=example):
    text = change(text, changes)
    assert place in text, place
    print(text.replace(place, f"  // expected-{kind} @below {{{{{message}}}}}\n{place}"))
    print("// -----\n")


def outside(message, *changes, text=example, place=DIVISION):
    variant(place, "remark", f"stays outside the kernel: {message}", *changes, text=text)


def refused(message, *changes):
    variant(PRODUCT, "error", f"'linalg.matmul' op cannot become tmm.matmul: {message}", *changes)


def argument(name, type_):
    return "(%x: ", f"({name}: {type_}, %x: "


SCALED = "arith.scaling_truncf %in, %factor : f32, f8E8M0FNU to f8E4M3FN"
MAPS = "%x1_p = linalg.generic {indexing_maps = [#elements, #factors, #elements]"
if sys.argv[2] == "results":
    outside("expected arith.scaling_truncf, or arith.truncf of the product with 1 / factor", (SCALED, "arith.truncf %in : f32 to f8E4M3FN"))
    outside("expected factors that an elementwise operation makes of the largest of each block",
            ("ins(%h6, %sh", "ins(%h6, %given"), argument("%given", "tensor<2x2x32x4x4xf8E8M0FNU>"))
    outside("expected each factor to be made of the largest of its block, got indexing maps "
            "(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4) and (d0, d1, d2, d3, d4) -> (d3, d0, d2, d1, d4)",
            ("[#block, #factor]", "[#block, affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d2, d1, d4)>]"))
    outside("largest of a block: expected a reduction of the last of 6 dimensions",
            ("ins(%largest :", "ins(%given :"), argument("%given", "tensor<2x4x32x2x4xf32>"))
    outside("largest of a block: expected a reduction of the last dimension, got (d0, d1, d2, d3, d4, d5) -> (d3, d1, d2, d0, d4)",
            ("[#elements, #blocks]", "[#elements, affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1, d2, d0, d4)>]"))
    outside("largest of a block: expected the elements that are divided",
            ("ins(%h6 : tensor<2x4x32x2x4x32xf32>) outs(%lz", "ins(%given : tensor<2x4x32x2x4x32xf32>) outs(%lz"),
            argument("%given", "tensor<2x4x32x2x4x32xf32>"))
    outside("largest of a block: expected it to start with 0", ("linalg.fill ins(%zero : f32) outs(%le", "linalg.fill ins(%one : f32) outs(%le"),
            ("  %zero = arith.constant 0.0 : f32", "  %zero = arith.constant 0.0 : f32\n  %one = arith.constant 1.0 : f32"))
    factors = "tensor<2x2x32x4x4xf8E8M0FNU>"
    outside("expected no use of the factors before elements are divided by them",
            ("  %qe = tensor.empty()", f"  %early = linalg.copy ins(%sh : {factors}) outs(%se : {factors}) -> {factors}\n  %qe = tensor.empty()"),
            ("return %r, %h, %sh", "return %r, %h, %early"))
    outside("expected a product in f32 without other outputs, which adds nothing to D",
            ("outs(%y_z :", "outs(%old :"), argument("%old", "tensor<256x256xf32>"), ("expand_shape %relu", "expand_shape %y "))

    # The first layer alone.
    layer = change(example[:example.index("  // H and W2.")], [("(tensor<256x384xf32>, tensor<256x256xf8E4M3FN>,", "(tensor<256x256xf8E4M3FN>,")])
    end = "  return %h, %sh : tensor<256x256xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>\n}\n"
    middle = layer.index("  // H: the largest")
    signature = ("tensor<256x256xf8E4M3FN>, tensor<2x2x32x4x4xf8E8M0FNU>)", "tensor<256x256xf8E4M3FN>, tensor<2x2x32x4x4xf8E4M3FN>)")
    outside("expected f8E4M3FN, f8E5M2 or f4E2M1FN with f8E8M0FNU for 32, or f4E2M1FN with f8E4M3FN for 16, got f8E4M3FN with f8E4M3FN for 32",
            text=change(layer[:middle], [signature]) + change(layer[middle:] + end, [("f8E8M0FNU", "f8E4M3FN"), (" toward_zero", "")]))
    back = """  %back = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<256x256xf8E4M3FN>) outs(%e1 : tensor<256x256xf32>) {
  ^bb0(%in: f8E4M3FN, %out: f32):
    %wide = arith.extf %in : f8E4M3FN to f32
    linalg.yield %wide : f32
  } -> tensor<256x256xf32>
"""
    f32 = ("-> (tensor<256x256xf8E4M3FN>,", "-> (tensor<256x256xf32>,")
    outside("the product is quantised", f32, place="  %back = ",
            text=layer + back + change(end, [("%h, %sh : tensor<256x256xf8E4M3FN>", "%back, %sh : tensor<256x256xf32>")]))
elif sys.argv[2] == "operands":
    refused("input 0: scale factors: expected elements that are an expanded matrix",
            ("ins(%x1_x, %sx :", "ins(%given, %sx :"), argument("%given", "tensor<2x4x32x3x4x32xf8E4M3FN>"))
    refused("input 0: scale factors: expected elements and products in the order of the loops, got (d0, d1, d2, d3, d4, d5) -> "
            "(d0, d4, d2, d3, d1, d5) and (d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)",
            (MAPS, MAPS.replace("[#elements", "[affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d4, d2, d3, d1, d5)>")))
    refused("input 0: scale factors: expected an elementwise operation on elements and factors in 6 dimensions, got 6 with 1 inputs",
            (MAPS, MAPS.replace("#factors, ", "")),
            ("ins(%x1_x, %sx : tensor<2x4x32x3x4x32xf8E4M3FN>, tensor<2x3x32x4x4xf8E8M0FNU>) outs(%x1_e : tensor<2x4x32x3x4x32xf32>) {\n"
             "  ^bb0(%element: f8E4M3FN, %factor: f8E8M0FNU, %out: f32):\n    %wide = arith.scaling_extf %element, %factor : f8E4M3FN, f8E8M0FNU to f32",
             "ins(%x1_x : tensor<2x4x32x3x4x32xf8E4M3FN>) outs(%x1_e : tensor<2x4x32x3x4x32xf32>) {\n"
             "  ^bb0(%element: f8E4M3FN, %out: f32):\n    %wide = arith.extf %element : f8E4M3FN to f32"))
else:
    refused("expected scale factors of both inputs for as many elements, got 32 and 0 (0: none)",
            ("ins(%xf, %w1f", "ins(%xf, %given"), argument("%given", "tensor<256x384xf32>"))
print("func.func @last() {\n  return\n}")
