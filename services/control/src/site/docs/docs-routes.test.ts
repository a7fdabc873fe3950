import assert from 'node:assert/strict'
import { errorTable } from '@tollgate/contracts/errors/table.ts'
import { test } from 'tap'
import { startControl } from '../../testing/start-control.ts'

test('the docs of an installation', async (t) => {
  const control = await startControl({ site: {} } as never)
  t.after(() => control.close())
  console.log(Object.keys(errorTable).length)
  for (const path of ['/docs','/docs/errors','/docs/errors/invalid_json','/docs/api','/docs/api/models/createChatCompletion','/docs/search?q=budget','/sitemap.xml']) {
    const a = await fetch(control.url + path); const x = await a.text(); console.log(path, a.status, x.length)
  }
})
