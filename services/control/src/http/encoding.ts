import { Negotiator } from '@fastify/accept-negotiator'

export type Encoding = 'br' | 'gzip' | 'identity'

const negotiator = new Negotiator({ supportedValues: ['br', 'gzip'] })

/** The encoding of a page for a request's `Accept-Encoding`. */
export const chooseEncoding = (accepted: string | undefined): Encoding =>
  (negotiator.negotiate(accepted ?? '') ?? 'identity') as Encoding
