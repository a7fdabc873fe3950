import assert from 'node:assert/strict'
import { docsPages as texts } from '@tollgate/contracts/docs/docs-pages.ts'
import { test } from 'tap'
import { docsPages } from './list-pages.ts'

test('the list has every page of the docs, by its title', async () => {
  const guides = Object.entries(texts).map(([name, { title }]) => [
    name === 'quickstart' ? '/docs' : `/docs/${name}`,
    title
  ])
  assert.deepEqual(docsPages, [...guides, ['/docs/api', 'API reference']])
})
