import type { Operations } from './operation-text.ts'

export const usageOperations: Operations = {
  'GET /api/usage': {
    operationId: 'getUsage',
    summary: 'Get usage by hour, day or month',
    description:
      'At most five seconds behind while Redis is available. A request counts for the hour in which it began.',
    auth: 'account'
  },
  'GET /api/usage/latency': {
    operationId: 'getUsageLatency',
    summary: 'Get how long requests took by hour, day or month',
    description:
      'Measures successful requests in the request log, from the arrival of the request at the gateway. Days that the log no longer keeps are missing.',
    auth: 'account'
  },
  'GET /api/usage/refusals': {
    operationId: 'getUsageRefusals',
    summary: 'Count refused requests by key and code, and list the keys that refuse requests now',
    description:
      'Requests that gateways refused with 402, 403 or 429: a budget, a rate, a model, a pause or a suspension. About ten seconds behind while Redis is available. Empty if gateways run with `REQUEST_LOG=off`.',
    auth: 'account'
  },
  'GET /api/usage/summary': {
    operationId: 'getUsageSummary',
    summary: 'Get this month’s spend, reservations, forecast and cap',
    description: 'While Redis is unavailable, the reservations are 0 and the spend comes from the usage reports.',
    auth: 'account'
  }
}
