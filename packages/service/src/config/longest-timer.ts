/** The longest timer of Node.js, ms: 24 days. A longer one fires after 1 ms. */
export const longestTimerMs = 2_147_483_647
