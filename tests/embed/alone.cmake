# Read by ctest after the tests of embed_tests: those that take the time until work stops run alone, because a neighbour
# on the same core takes caches and cycles from it.
foreach(work IN ITEMS Planning Comparing Placing Verifying Checking ByALimitOfSeconds AChoiceOfLayouts AChoiceOfLayoutsByALimitOfSeconds)
  set_tests_properties(embed_tests.StopsWithinAFifthOfASecond.${work} PROPERTIES RUN_SERIAL TRUE)
endforeach()
