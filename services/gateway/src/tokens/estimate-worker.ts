/** The functions that the thread of `createUsageEstimator` runs. */
export { countPrompt } from './count-prompt.ts'
export { estimateUsage } from './estimate-usage.ts'
