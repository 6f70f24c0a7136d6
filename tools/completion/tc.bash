# Completion of tc's tools in bash; in zsh after `autoload -U bashcompinit && bashcompinit`. Installed to
# share/bash-completion/completions; from the sources: `. tools/completion/tc.bash`.
#
# Options are those that --help lists, so that they need no list here; values of --emit, --chip, --schedule and --races
# and words of tc-explain are those that the tools name.

declare -gA _tc_options

_tc_list() {
  [ -n "${_tc_options[$1]:-}" ] ||
    _tc_options[$1]=$("$1" --help 2>/dev/null | sed -nE 's/^ +(--?[a-zA-Z0-9][a-zA-Z0-9_-]*)(\[?=)?.*/\1\2/p' | tr -d '[' | sort -u)
  printf '%s\n' "${_tc_options[$1]}"
}

_tc() {
  local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} option="" words=""
  # "--emit=ro" is one word, or three where = breaks words.
  if [ "$word" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=""
  elif [ "$COMP_CWORD" -ge 2 ] && [ "${COMP_WORDS[COMP_CWORD - 1]}" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=}
  elif [ "$COMP_CWORD" -ge 1 ]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  case "$(basename "$tool")$option" in
    tc-compile--emit) words="tmm tiles roles tcgen05 nvvm llvm ptx cubin" ;;
    tc-tune--emit) words="ptx cubin" ;;
    tc-compile--chip | tc-tune--chip) words="sm_100a sm_100f sm_103a sm_103f sm_110a sm_110f sm_90a" ;;
    tc-compile--f32 | tc-tune--f32) words="tf32 tf32x3 bf16x3 bf16x9 fma refuse" ;;
    tc-compile--explain) words="words json" ;;
    tc-run--schedule) words="eager lazy reverse starvation: skew: late-reads: random: all" ;;
    tc-run--races) words="default strict off" ;;
    tc-run--device) words="emulator cuda" ;;
    tc-explain*)
      [ "$COMP_CWORD" -ne 1 ] || words="f16 tf32 f8f6f4 i8 mxf8f6f4 mxf4 mxf4nvf4 idesc smem mask targets tables layout"
      [ "$option" != tables ] || words="mma mma_block_scale mma_ws ld_st cp_shift alloc"
      [ "$option" != layout ] || words="A B C D E F G N scales scales_split metadata ld smem" ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(_tc_list "$tool")" -- "$word"))
    [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace 2>/dev/null
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}

complete -o filenames -F _tc tc-compile tc-opt tc-run tc-explain tc-emulate tc-reduce tc-tune tc-lsp-server
