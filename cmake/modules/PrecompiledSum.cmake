# Writes the file that ccache hashes for a precompiled header in place of the
# header itself, which holds paths: cmake -DOUT=FILE -DROOT=FOLDER -DTEXT=TEXT
# [-DDIALECTS=ON] -P. It is the sum of the list of headers and of TEXT (compiler,
# versions, flags), with DIALECTS also of everything that the headers of the
# dialects are made of. An unchanged file keeps its time.
file(GLOB headers ${ROOT}/cmake/modules/TCPrecompiled*.h)
if(DIALECTS)
  file(GLOB_RECURSE below ${ROOT}/tools/tc-tblgen/* ${ROOT}/include/tc/Support/* ${ROOT}/include/tc/Schedule/*
       ${ROOT}/include/tc/Dialect/*)
  list(APPEND headers ${below})
endif()
list(SORT headers)
set(sums "${TEXT}\n")
foreach(header ${headers})
  file(SHA256 ${header} sum)
  string(APPEND sums "${sum}\n")
endforeach()
string(SHA256 sum "${sums}")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL "${sum}\n")
  file(WRITE ${OUT} "${sum}\n")
endif()
