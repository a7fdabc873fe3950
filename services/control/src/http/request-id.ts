import { randomUUID } from 'node:crypto'

/** Made for every request: an id from the caller could put anything into a log. */
export const newRequestId = (): string => `req_${randomUUID()}`
