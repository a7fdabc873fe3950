import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { Person } from '../../person.ts'
import { chatOutcome, openaiClient } from '../../start-test-system.ts'
import { changeCatalog } from '../../write-catalog.ts'
import { visit } from '../browser.ts'
import { choose, untilLoaded, untilLogged } from '../use-page.ts'
import { browser, openWorld, system } from '../world.ts'
import { visitAsOperator } from './world.ts'

t.before(() => openWorld(t))

/** Names that a catalog may have, and a page must show as text. */
const names = [
  '<img src=x onerror="window.hacked=1">',
  '\u202egnp.exe model',
  `long-${'x'.repeat(195)}`,
  'constructor',
  'toString',
  '"quoted\'`\\</script>',
  '=cmd|x!A1'
]

t.test('names of models with markup, quotes and turned text are shown as text on every page, and fit it', async (t) => {
  if (browser === null) return
  const { operator, ...console } = await visitAsOperator()
  await changeCatalog(t, operator, (catalog) => {
    const model = catalog.models['gpt-4o-mini']!
    for (const name of names) catalog.models[name] = structuredClone(model)
    for (const plan of Object.values(catalog.plans)) if (plan.models !== 'all') plan.models.push(...names)
  })
  const person = await new Person(system, 'mallory').join('pro')
  const { key } = (await person.createKey('all')).body
  for (const name of names) {
    const client = openaiClient(system.addresses.gateway, key.value)
    assert.equal(await chatOutcome(client, name), '200', name)
  }
  const { page, context, complaints } = await visit(browser, system, {
    person,
    viewport: { width: 1280, height: 720 },
    acceptDownloads: true
  })
  const check = async (where: string) => {
    await untilLoaded(page)
    assert.equal(await page.evaluate('window.hacked'), undefined, where)
    assert.equal(await page.locator('img[src="x"]').count(), 0, where)
    const [wide, seen] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [number, number]
    assert.ok(wide <= seen, `${where} fits its window`)
    if (process.env.SHOTS !== undefined)
      await page.screenshot({
        path: `${process.env.SHOTS}/${where.replaceAll('/', '_').slice(0, 80)}.png`,
        fullPage: true
      })
  }
  await untilLogged(person)
  for (const path of [
    '',
    '/models',
    '/limits',
    '/usage?by=model',
    '/usage?show=latency',
    '/requests',
    `/keys/${key.id}`
  ]) {
    await page.goto(`/dashboard${path}`)
    await check(path)
  }
  await page.goto(`/dashboard/keys/${key.id}`)
  const hidden = await page
    .getByRole('region', { name: 'Requests, newest first' })
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  assert.ok(hidden <= 0, `a long name pushes no column out of sight: ${hidden} px are hidden`)
  await page.goto('/dashboard/models')
  for (const name of names) await page.getByRole('heading', { name, exact: true }).waitFor()
  await page.goto('/dashboard/usage?by=model')
  await untilLoaded(page)
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const csv = await readFile(await (await saving).path(), 'utf8')
  assert.ok(csv.includes('"<img src=x onerror=""window.hacked=1"">"'))
  assert.ok(csv.includes("'=cmd|x!A1"), 'no spreadsheet runs a name')
  await page.goto('/dashboard/playground')
  for (const name of names.slice(0, 4)) {
    await choose(page, 'Model', name)
    await page.getByLabel('Message').fill(`<img src=x onerror="window.hacked=1"> ![x](x) ${name}`)
    await page.keyboard.press('Enter')
    await page
      .getByRole('article', { name: `Answer of ${name}` })
      .getByText('First token')
      .waitFor()
  }
  await page.getByRole('button', { name: 'Show as code' }).click()
  await check('playground')
  await page.goto('/dashboard/keys?create=1')
  await page.getByLabel('Only selected models').check()
  await check('the dialog of a key')
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of ['/models', '/usage?by=model', '/requests', '/playground']) {
    await page.goto(`/dashboard${path}`)
    await check(`narrow ${path}`)
  }
  assert.deepEqual(complaints, [])
  await context.close()

  await console.page.goto('/dashboard/operator/money')
  await untilLoaded(console.page)
  await console.page.goto('/dashboard/operator/catalog')
  await untilLoaded(console.page)
  assert.equal(await console.page.evaluate('window.hacked'), undefined)
  assert.deepEqual(console.complaints, [])
})
