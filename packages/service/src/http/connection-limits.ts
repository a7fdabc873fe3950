/** Limits of a server against clients that send slowly or keep connections open. Times are milliseconds. */
export interface ConnectionLimits {
  /** Open connections; the server closes further ones at once. For `maxConnections` of Node's server. */
  readonly maxConnections: number
  /** How long the head of a request may take. A new connection without a request counts, too. */
  readonly headersTimeoutMs: number
  /** How long a whole request may take to arrive. Its answer may take longer. */
  readonly requestTimeoutMs: number
}

/** The options of Fastify that limit the arrival of requests. */
export const arrivalTimeouts = ({ headersTimeoutMs, requestTimeoutMs }: Omit<ConnectionLimits, 'maxConnections'>) => ({
  requestTimeout: requestTimeoutMs,
  http: {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(headersTimeoutMs, requestTimeoutMs, 20_000) / 4
  }
})
