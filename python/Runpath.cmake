# cmake -Dlibrary=FILE -Dtree=FOLDER -P Runpath.cmake
# A library that was linked in a build tree looks for others there, in `tree`. In the
# package they are beside it: $ORIGIN takes the place of the tree. LLVM's folder stays.
file(READ_ELF "${library}" RUNPATH folders)
list(FIND folders "\$ORIGIN" origin)
if(folders AND origin EQUAL -1)
  list(FILTER folders EXCLUDE REGEX "^$")
  list(REMOVE_ITEM folders "${tree}")
  list(PREPEND folders "\$ORIGIN")
  string(REPLACE ";" ":" folders "${folders}")
  file(RPATH_SET FILE "${library}" NEW_RPATH "${folders}")
endif()
