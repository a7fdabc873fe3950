import assert from 'node:assert/strict'
import { test } from 'tap'
import { readMetadataFilter } from './query.ts'

test('only parameters that begin with “metadata.” filter by metadata, whatever else a query has', async () => {
  const query = { limit: '10', 'metadata.tenant': 'acme', metadata: 'x', 'metadata.team.name': 'a=b', sort: 'newest' }
  assert.deepEqual(readMetadataFilter(query), { tenant: 'acme', 'team.name': 'a=b' })
  assert.deepEqual(readMetadataFilter({ q: 'metadata.tenant' }), {})
})
