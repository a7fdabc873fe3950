import { chromium } from 'playwright-core'

const b = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] })
for (const w of [1280, 390])
  for (const scheme of ['light', 'dark']) {
    const c = await b.newContext({
      baseURL: 'http://localhost:3000',
      viewport: { width: w, height: 900 },
      colorScheme: scheme
    })
    const p = await c.newPage()
    p.on('console', (m) => console.log(m.text()))
    p.on('pageerror', (e) => console.log(String(e)))
    for (const u of process.argv.slice(2)) {
      await p.goto(u)
      await p.waitForTimeout(300)
      await p.screenshot({
        path: `/tmp/pic/s${u.replaceAll('/', '_').replaceAll('?', '-')}-${w}-${scheme}.png`,
        fullPage: process.env.FULL === '1'
      })
    }
    await p.keyboard.press('Control+k')
    await p.keyboard.type('budget')
    await p.waitForTimeout(500)
    await p.screenshot({ path: `/tmp/pic/s-search-${w}-${scheme}.png` })
  }
await b.close()
