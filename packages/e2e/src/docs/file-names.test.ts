import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allTestFiles } from '@tollgate/cli/testing/list-files.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

const root = workspaceFile('')
const documents = ['*.md', 'docs/**/*.md', 'deploy/**/*.md', '{services,packages}/*/{,src/**/}*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

const namedFile = /(?<![\w./@-])(?:services|packages|deploy|docs|\.ci)\/[\w./-]*\w/g
/** Whether a command creates the file, so that a fresh clone lacks it. */
const isBuilt = (file: string) => file.includes('/dist/')

test('every file that a document names exists', async () => {
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(namedFile)]
      .map(([file]) => file)
      .filter((file) => !isBuilt(file) && !existsSync(join(root, file)))
      .map((file) => `${path}: ${file}`)
  )
  assert.deepEqual([...new Set(missing)], [])
})

/** A test file by the end of its path, as in `gather-writes.test.ts`; `x.test.ts` stands for any. */
const shortName = /`(?:\.\.?\/)*((?!x\.|packages\/|services\/|[cgp]\/)[\w./-]+\.test\.ts)`/g

test('every test file that a document names by the end of its path exists', async () => {
  const files = allTestFiles()
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(shortName)].flatMap(([, name]) =>
      files.some((file) => file.endsWith(`/${name}`)) ? [] : `${path}: ${name}`
    )
  )
  assert.deepEqual([...new Set(missing)], [])
})

/** The anchor that GitHub gives to a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsIn = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))

test('every link in a document leads to an existing file and heading', async () => {
  const broken: string[] = []
  for (const { path, text } of documents) {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue
      const [file, anchor] = link!.split('#')
      const target = file === '' ? join(root, path) : join(root, dirname(path), file!)
      if (!existsSync(target)) broken.push(`${path}: ${link}`)
      else if (anchor !== undefined && !anchorsIn(target).includes(anchor)) broken.push(`${path}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('the walks of the architecture have ten steps each', async () => {
  const { text } = documents.find(({ path }) => path === 'docs/architecture.md')!
  const walks = text.split('\n## ').filter((section) => section.startsWith('The walk of'))
  assert.equal(walks.length, 4)
  for (const walk of walks) assert.equal(walk.match(/^\d+\. /gm)?.length, 10, walk.split('\n')[0])
})

test('SECURITY.md names a test for each attack, and no other file', async () => {
  const { text } = documents.find(({ path }) => path === 'SECURITY.md')!
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (who|---)/.test(line))
  assert.ok(rows.length >= 10)
  for (const row of rows) {
    const files = row.match(namedFile) ?? []
    assert.ok(files.length > 0, row)
    for (const file of files) assert.match(file, /\.test\.ts$/)
  }
})
