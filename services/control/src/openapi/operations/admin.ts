import type { Operations } from './operation-text.ts'

export const adminOperations: Operations = {
  'GET /api/admin/audit': {
    operationId: 'listOperatorActs',
    summary: 'List what operators did, newest first',
    auth: 'operator'
  },
  'GET /api/admin/catalog': {
    operationId: 'readCatalog',
    summary: 'Read the catalog in force, and which ones came before',
    auth: 'operator'
  },
  'POST /api/admin/catalog': {
    operationId: 'applyCatalog',
    summary: 'Apply a catalog: the text of a file, or an earlier version',
    description:
      'After success the catalog is in force at this replica of control and in Redis; other replicas and the gateways follow within about a second. After `change_pending`, repeat the call: it publishes nothing twice.',
    auth: 'operator',
    isLimited: true,
    errors: ['wrong_password', 'catalog_refused', 'identity_unavailable', 'change_pending']
  },
  'POST /api/admin/catalog/diff': {
    operationId: 'diffCatalog',
    summary: 'Say what a catalog would change, and for how many accounts',
    description: 'A catalog with problems cannot be applied. Its changes are listed if its file is valid.',
    auth: 'operator'
  }
}
