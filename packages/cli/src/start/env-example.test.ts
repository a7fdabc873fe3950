import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { inspectUpstreamsFile } from '@tollgate/gateway/upstreams/upstreams-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'

const root = workspaceFile('')

/** The variables that the programs' configurations name. `PATH` belongs to the system. */
function readVariables(): Set<string> {
  const folders = ['services/*/src/**/{config,*-settings}.ts', 'packages/{cli,sandbox,service}/src/**/!(*.test).ts']
  const files = globSync(folders, { cwd: root })
  assert.ok(files.length >= 5)
  // A member of a schema: `NAME: Type.String(…)`, or a schema of our own such as `Port(3000)`.
  const member = /^ {2}([A-Z][A-Z0-9_]+): (?:Type\.|[A-Z]\w+(?:\(|,$))/gm
  const names = files.flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(member)].map(([, name]) => name ?? '')
  )
  return new Set(names.filter((name) => name !== 'PATH'))
}

test('.env.example has each variable that a program reads, once, and no other', async () => {
  const example = readFileSync(`${root}.env.example`, 'utf8')
  const documented = [...example.matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name ?? '')
  assert.equal(new Set(documented).size, documented.length)
  // Variables that `chooseEmbedded` and `findAddresses` read, or that deploy/upstreams.yaml names.
  const elsewhere = ['NODE_ENV', ...inspectUpstreamsFile(`${root}deploy/upstreams.yaml`, {}).variables]
  assert.deepEqual(documented.toSorted(), [...readVariables(), ...elsewhere].toSorted())
})
