/** What the threads of {@link createUsageEstimator} run. */
export { countPrompt } from './count-prompt.ts'
export { estimateUsage } from './estimate-usage.ts'
