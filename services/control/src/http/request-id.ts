import { randomUUID } from 'node:crypto'

/** Made here for every request: an id that a caller chose could be anything in a log. */
export const newRequestId = (): string => `req_${randomUUID()}`
