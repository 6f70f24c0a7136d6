// RUN: tc-opt %s --mlir-print-local-scope --tc-decompose-aggregates --convert-linalg-to-rows | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#column = affine_map<(d0, d1) -> (d1)>

// Both reductions and what is between them are one operation. What they start from changes nothing.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4096xf32>)
// CHECK-NOT:     linalg.
// CHECK:         %[[Y:.*]] = tmm.rows ins(%[[X]] : tensor<8x4096xf32>) outs(%{{.*}} : tensor<8x4096xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32):
// CHECK:           %[[MAX:.*]] = tmm.row_reduce <maxnumf> %[[IN]] : f32
// CHECK:           %[[LESS:.*]] = arith.subf %[[IN]], %[[MAX]]
// CHECK:           %[[EXP:.*]] = math.exp %[[LESS]]
// CHECK:           %[[SUM:.*]] = tmm.row_reduce <add> %[[EXP]] : f32
// CHECK:           %[[OUT:.*]] = arith.divf %[[EXP]], %[[SUM]]
// CHECK:           tmm.yield %[[OUT]] : f32
// CHECK-NOT:     linalg.
// CHECK:         return %[[Y]]
func.func @softmax(%x: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
  %e = tensor.empty() : tensor<8x4096xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<8x4096xf32>) outs(%e : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}

// A residual, whose sum is used outside and so an output, values of rows in tensors of one column, weights of columns.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[X:.*]]: tensor<?x768xbf16>, %[[REST:.*]]: tensor<?x768xbf16>, %[[W:.*]]: tensor<768xf32>,
// CHECK-NOT:     linalg.
// CHECK:         %[[Y:.*]]:2 = tmm.rows ins(%[[X]], %[[REST]], %[[W]] : {{.*}}) outs(%{{.*}}, %{{.*}} : tensor<?x768xbf16>, tensor<?x768xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[A:.*]]: bf16, %[[B:.*]]: bf16, %[[C:.*]]: f32):
// CHECK:           %[[BOTH:.*]] = arith.addf %[[A]], %[[B]] : bf16
// CHECK:           %[[WIDE:.*]] = arith.extf %[[BOTH]]
// CHECK:           %[[MEAN:.*]] = tmm.row_reduce <add> %[[WIDE]] : f32
// CHECK:           arith.subf %{{.*}}, %[[MEAN]]
// CHECK:           %[[SQUARE:.*]] = arith.mulf
// CHECK:           %[[SUM:.*]] = tmm.row_reduce <add> %[[SQUARE]] : f32
// CHECK:           %[[SCALE:.*]] = math.rsqrt %[[SUM]]
// CHECK:           %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK:           %[[OUT:.*]] = arith.mulf %[[SCALED]], %[[C]]
// CHECK:           tmm.yield %[[BOTH]], %[[OUT]] : bf16, f32
// CHECK-NOT:     linalg.
// CHECK:         return %[[Y]]#0, %[[Y]]#1
func.func @norm(%x: tensor<?x768xbf16>, %rest: tensor<?x768xbf16>, %w: tensor<768xf32>, %n: index) -> (tensor<?x768xbf16>, tensor<?x768xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x768xbf16>
  %wide = tensor.empty(%n) : tensor<?x768xf32>
  %one = tensor.empty(%n) : tensor<?x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %rest : tensor<?x768xbf16>, tensor<?x768xbf16>) outs(%e : tensor<?x768xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %0 = arith.addf %a, %b : bf16
    linalg.yield %0 : bf16
  } -> tensor<?x768xbf16>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<?x1xf32>) -> tensor<?x1xf32>
  %mean = linalg.generic {indexing_maps = [#all, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%sum : tensor<?x768xbf16>) outs(%start : tensor<?x1xf32>) {
  ^bb0(%a: bf16, %acc: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x1xf32>
  %squares = linalg.generic {indexing_maps = [#all, #keep, #keep], iterator_types = ["parallel", "reduction"]}
      ins(%sum, %mean : tensor<?x768xbf16>, tensor<?x1xf32>) outs(%start : tensor<?x1xf32>) {
  ^bb0(%a: bf16, %m: f32, %acc: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.subf %0, %m : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x1xf32>
  %scale = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%squares : tensor<?x1xf32>) outs(%one : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.rsqrt %a : f32
    linalg.yield %0 : f32
  } -> tensor<?x1xf32>
  %y = linalg.generic {indexing_maps = [#all, #keep, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %scale, %w : tensor<?x768xbf16>, tensor<?x1xf32>, tensor<768xf32>) outs(%wide : tensor<?x768xf32>) {
  ^bb0(%a: bf16, %s: f32, %c: f32, %o: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.mulf %0, %s : f32
    %2 = arith.mulf %1, %c : f32
    linalg.yield %2 : f32
  } -> tensor<?x768xf32>
  return %sum, %y : tensor<?x768xbf16>, tensor<?x768xf32>
}

// What reads the sum and gives something to the other one, but cannot be in a kernel of rows, keeps both apart.
// CHECK-LABEL: func.func @between(
// CHECK:         %[[SUM:.*]] = tmm.rows {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK-NOT:       arith.subf
// CHECK:         %[[CHANGED:.*]] = tensor.insert %{{.*}} into %[[SUM]]
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[SUM]], %[[CHANGED]] :
func.func @between(%x: tensor<8x64xf32>, %i: index) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %one = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  %changed = tensor.insert %zero into %sum[%i] : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %changed : tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %s: f32, %f: f32, %o: f32):
    %0 = arith.subf %a, %s : f32
    %1 = arith.mulf %0, %f : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// What an output starts from comes last, whether it is a tensor or a number. Narrow types are reduced in wider ones.
// CHECK-LABEL: func.func @start(
// CHECK-SAME:    %[[X:.*]]: tensor<8x64xbf16>, %[[OLD:.*]]: tensor<8xbf16>)
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<8xbf16>
// CHECK:         tmm.rows ins(%[[X]], %[[OLD]] : {{.*}}) outs(%[[E]], %{{.*}} : tensor<8xbf16>, tensor<8xi8>)
// CHECK:         ^bb0(%[[IN:.*]]: bf16, %[[FROM:.*]]: bf16):
// CHECK:           %[[WIDE:.*]] = arith.extf %[[IN]] : bf16 to f32
// CHECK:           %[[SUM:.*]] = tmm.row_reduce <add> %[[WIDE]] : f32
// CHECK:           %[[START:.*]] = arith.extf %[[FROM]] : bf16 to f32
// CHECK:           %[[ALL:.*]] = arith.addf %[[START]], %[[SUM]] : f32
// CHECK:           %[[FIRST:.*]] = arith.truncf %[[ALL]] : f32 to bf16
// CHECK:           %[[BYTE:.*]] = arith.fptosi %[[IN]] : bf16 to i8
// CHECK:           %[[WORD:.*]] = arith.extui %[[BYTE]] : i8 to i32
// CHECK:           %[[MAX:.*]] = tmm.row_reduce <maxui> %[[WORD]] : i32
// CHECK:           %[[SEVEN:.*]] = arith.constant 7 : i8
// CHECK:           %[[LEAST:.*]] = arith.extui %[[SEVEN]] : i8 to i32
// CHECK:           %[[LARGEST:.*]] = arith.maxui %[[LEAST]], %[[MAX]] : i32
// CHECK:           %[[SECOND:.*]] = arith.trunci %[[LARGEST]] : i32 to i8
// CHECK:           tmm.yield %[[FIRST]], %[[SECOND]] : bf16, i8
func.func @start(%x: tensor<8x64xbf16>, %old: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xi8>) {
  %n = arith.constant 7 : i8
  %sum = linalg.reduce ins(%x : tensor<8x64xbf16>) outs(%old : tensor<8xbf16>) dimensions = [1]
    (%in: bf16, %acc: bf16) {
      %0 = arith.addf %in, %acc : bf16
      linalg.yield %0 : bf16
    }
  %one = tensor.empty() : tensor<8xi8>
  %start = linalg.fill ins(%n : i8) outs(%one : tensor<8xi8>) -> tensor<8xi8>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xbf16>) outs(%start : tensor<8xi8>) {
  ^bb0(%a: bf16, %acc: i8):
    %0 = arith.fptosi %a : bf16 to i8
    %1 = arith.maxui %0, %acc : i8
    linalg.yield %1 : i8
  } -> tensor<8xi8>
  return %sum, %largest : tensor<8xbf16>, tensor<8xi8>
}

// The smallest i8 is neutral for the largest of i8, but of a row without columns the reduction, of 32 bits, has
// the smallest i32.

// CHECK-LABEL: func.func @smallest(
// CHECK:         %[[MAX:.*]] = tmm.row_reduce <maxsi> %{{.*}} : i32
// CHECK:         %[[LEAST:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK:         arith.maxsi %[[LEAST]], %[[MAX]] : i32
func.func @smallest(%x: tensor<8x?xi8>) -> tensor<8xi8> {
  %n = arith.constant -128 : i8
  %one = tensor.empty() : tensor<8xi8>
  %start = linalg.fill ins(%n : i8) outs(%one : tensor<8xi8>) -> tensor<8xi8>
  %largest = linalg.reduce { arith.maxsi } ins(%x : tensor<8x?xi8>) outs(%start : tensor<8xi8>) dimensions = [1]
  return %largest : tensor<8xi8>
}
