/**
 * Loaded first in the process of each test file. tap would record every loaded module, also in all processes that a test
 * starts, and read all source maps. Only coverage needs this, which is off. It took a quarter of a system test's time.
 */
process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
// The programs that a test starts are not tests.
process.env.NODE_OPTIONS = `--import=${new URL('./quick-start.mjs', import.meta.url)}`
