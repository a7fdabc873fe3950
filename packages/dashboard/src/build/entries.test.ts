import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'tap'

test('the pages of both apps differ only in their script', async () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  assert.equal(read('sign-in.html').replace('/src/sign-in.tsx', '/src/main.tsx'), read('index.html'))
})
