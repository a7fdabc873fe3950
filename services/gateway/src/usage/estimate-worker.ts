/** What the threads of {@link createUsageEstimator} run. */
export { estimateUsage as default } from './estimate-usage.ts'
