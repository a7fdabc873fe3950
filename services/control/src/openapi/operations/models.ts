import type { Operations } from './operation-text.ts'

export const modelOperations: Operations = {
  'GET /api/models': {
    operationId: 'listPricedModels',
    summary: 'List the models of the account’s plan and of plans on sale, with their prices',
    description: 'For a key alone, `GET /v1/models` of the gateway lists the models that it may use.',
    auth: 'account'
  },
  'GET /api/limits': {
    operationId: 'getLimits',
    summary: 'Get the account’s limits, and what is left of them now',
    description: 'Reading changes nothing. While Redis is unavailable, what is left of the rates is null.',
    auth: 'account'
  }
}
