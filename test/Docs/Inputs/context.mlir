// What stands before the examples of the descriptions: names of types that they use
// without saying what they are, and operations that their operands come from. "// FOR"
// names the files or definitions of TableGen.

// FOR TCGen05Attrs.td TMMTileOps.td SM80Attrs.td SM90Attrs.td TMMLoweredOps.td TMMPipelineOps.td
!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<256x64xbf16, #sm90.smem<k_major, b128>>
!acc = !tmm.buffer<128x256xf32, #tcgen05.tmem>
!ring = !tmm.pipeline<(!tile, !tile), depth = 4>

// FOR TCGen05_CpAttr
!sfa = !tmm.buffer<128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
!columns = !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>

// FOR TCGen05_MmaAttr
!tall_a = !tmm.buffer<256x64xbf16, #sm90.smem<k_major, b128>>
!tall_acc = !tmm.buffer<256x256xf32, #tcgen05.tmem>

// FOR TMM_MmaOp
!half_b = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!half_a = !tmm.buffer<128x32xbf16, #sm90.smem<k_major, b64>>
!metadata = !tmm.buffer<128x4xi32, #tcgen05.metadata<16>>
!pair_acc = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
!a8 = !tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>
!b8 = !tmm.buffer<256x128xf8E4M3FN, #sm90.smem<k_major, b128>>
!sfa = !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>
!sfb = !tmm.buffer<256x4xf8E8M0FNU, #tcgen05.scales>

// FOR TMM_ProducerAcquireOp TMM_ProducerInspectOp TMM_ProducerCommitOp TMM_ConsumerWaitOp TMM_ConsumerReleaseOp TMM_SkipOp TMM_HoldOp TMM_ReleaseHeldOp TMM_ProducerTailOp TMM_PipelineStartOp
%ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile, !tile), depth = 4>

// FOR TMM_TakeTurnOp TMM_PassTurnOp
%turns = tmm.pipeline stages(2) : !tmm.pipeline<(!tmm.buffer<1x1xi1, #tmm.turn>), depth = 2>
