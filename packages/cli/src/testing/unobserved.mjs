/**
 * Loaded before everything else in the process of each test file. tap would write down every module that is loaded, also
 * in all processes that a test starts, and read all source maps on the way. That serves coverage, which is off, and took a
 * quarter of the time of a test that starts the system.
 */
process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
// What a test starts is not a test.
process.env.NODE_OPTIONS = `--import=${new URL('./quick-start.mjs', import.meta.url)}`
