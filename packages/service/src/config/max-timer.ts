/** Maximum delay of a timer of Node.js, ms: 24 days. A longer one fires after 1 ms. */
export const maxTimerMs = 2_147_483_647
