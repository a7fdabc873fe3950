import assert from 'node:assert/strict'
import { inferenceDocument } from '@tollgate/contracts/openapi/inference.ts'
import { test } from 'tap'
import { findOperations } from './find-operations.ts'

const pathsFor = (typed: string) =>
  findOperations(inferenceDocument, typed).flatMap(([, found]) => found.map(({ method, path }) => `${method} ${path}`))

test('operations are found by method, path and summary', async () => {
  assert.ok(pathsFor('').length > 10)
  assert.deepEqual(pathsFor('post CHAT/'), ['POST /v1/chat/completions'])
  assert.deepEqual(pathsFor('nothing like this'), [])
})

test('operations for operators are not shown', async () => {
  const [first] = inferenceDocument.tags
  const renamed = { ...inferenceDocument, tags: [{ ...first!, name: 'Operators' }] }
  assert.deepEqual(findOperations(renamed, ''), [])
})
