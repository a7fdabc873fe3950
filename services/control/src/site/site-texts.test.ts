import assert from 'node:assert/strict'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { checkSiteTexts, readSite } from './site-settings.ts'
import { noSiteTexts, readSiteTexts } from './site-texts.ts'

const check = (folder: string) => checkSiteTexts({ PUBLIC_SITE: 'on', SITE_TEXTS: folder })

test('every file is optional, and the files that exist are read', async (t) => {
  assert.deepEqual(readSiteTexts(t.testdir({ 'logo.png': '' })), noSiteTexts)
  const folder = t.testdir({
    'headline.md': '# Models for *everyone*\n\nOne key.\nAll models.\n\nThis is not shown.\n',
    'points.md': '## Fast\r\nVery.\r\n\r\n## Cheap\r\nAlso.\n\nReally.',
    'questions.md': '## Why?\n\n- because\n',
    'terms.md': '# Our terms\n\n1. Be kind.',
    'imprint.md': 'Acme GmbH'
  })
  assert.deepEqual(readSiteTexts(folder), {
    headline: { title: 'Models for *everyone*', subline: 'One key. All models.' },
    points: [
      { title: 'Fast', markdown: 'Very.' },
      { title: 'Cheap', markdown: 'Also.\n\nReally.' }
    ],
    questions: [{ title: 'Why?', markdown: '- because' }],
    legal: {
      terms: { title: 'Our terms', markdown: '1. Be kind.' },
      imprint: { title: 'Imprint', markdown: 'Acme GmbH' }
    }
  })
})

test('a bad text names the variable and its file', async (t) => {
  const cases: ReadonlyArray<readonly [files: Record<string, string>, problem: RegExp]> = [
    [{ 'headlines.md': 'x' }, /headlines\.md is no text of the site\. It can have headline\.md, points\.md/],
    [{ 'headline.md': 'x'.repeat(121) }, /headline\.md must begin with a headline of at most 120 characters/],
    [{ 'points.md': 'Fast' }, /points\.md must begin with a line "## title"/],
    [{ 'points.md': '## a\nb\n## c\nd\n## e\nf\n## g\nh' }, /points\.md may have 3 parts "## title", and has 4/],
    [{ 'questions.md': '## Why?\n\n## How?\nSo.' }, /questions\.md has a part "## Why\?" without a text/],
    [{ 'terms.md': ' \n' }, /terms\.md is empty/],
    [{ 'privacy.md': 'x'.repeat(200_001) }, /privacy\.md has more than 200 kB/]
  ]
  for (const [files, problem] of cases) {
    const told = check(t.testdir(files))
    assert.match(String(told), /^SITE_TEXTS: /)
    assert.match(String(told), problem)
  }
  assert.equal(check('/nonexistent'), 'SITE_TEXTS: must be a folder that control can read')
})

test('without public pages there are no texts, and without a folder the default ones', async () => {
  assert.equal(readSite({ PUBLIC_SITE: 'off', SITE_TEXTS: '' }), null)
  assert.equal(readSite({ PUBLIC_SITE: 'on', SITE_TEXTS: '' }), noSiteTexts)
  assert.equal(check(''), null)
})

test('the examples of the legal pages are pages, and name no product', async () => {
  const { legal } = readSiteTexts(workspaceFile('deploy/site-texts'))
  assert.deepEqual(
    Object.values(legal).map(({ title }) => title),
    ['Terms', 'Privacy', 'Imprint']
  )
  assert.doesNotMatch(JSON.stringify(legal), /tollgate/i)
})
