import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { type Manifest, nameOf } from './manifest.ts'

/** The packages with models of Kubernetes' objects. They are generated from the OpenAPI of each API group. */
const packages: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api/',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/'
}
const modelOf = ({ apiVersion }: Manifest) =>
  `${packages[apiVersion.split('/')[0]!] ?? 'kubernetes-models/'}${apiVersion}`

/**
 * Checks objects against the schemas of Kubernetes, the Gateway API and the Prometheus Operator.
 *
 * The models' validators check types, formats and required fields. They allow unknown fields, which an API server would
 * drop or refuse. So TypeScript compiles each object as a literal of its type, which may have no other fields.
 *
 * @returns the problems, each with the object's name
 */
export async function checkSchemas(manifests: readonly Manifest[]): Promise<string[]> {
  const [invalid, odd] = await Promise.all([checkValues(manifests), checkFields(manifests)])
  return [...invalid, ...odd]
}

interface Model {
  /** @throws an error whose message or `errors` has the problems */
  validate(): void
}

async function checkValues(manifests: readonly Manifest[]): Promise<string[]> {
  const problems: string[] = []
  for (const manifest of manifests) {
    const models = (await import(modelOf(manifest))) as Record<string, new (data: Manifest) => Model>
    const Kind = models[manifest.kind]
    if (Kind === undefined) {
      problems.push(`${nameOf(manifest)}: ${manifest.apiVersion} has no such kind`)
      continue
    }
    try {
      new Kind(manifest).validate()
    } catch (error) {
      problems.push(`${nameOf(manifest)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return problems
}

/** Inside this package, so that TypeScript finds the models. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

async function checkFields(manifests: readonly Manifest[]): Promise<string[]> {
  const directory = join(cache, `manifests-${process.pid}`)
  mkdirSync(directory, { recursive: true })
  try {
    const file = join(directory, 'manifests.ts')
    // One object a line, so that the line of an error tells the object.
    writeFileSync(
      file,
      manifests
        .map((manifest, index) => {
          const type = `import('${modelOf(manifest)}').I${manifest.kind}`
          return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)}\n`
        })
        .join('')
    )
    const report = await runTypeScript(file)
    return report
      .split('\n')
      .map((line) => /^.*?\((\d+),\d+\): error (.*)$/.exec(line) ?? (line === '' ? null : [line, '0', line]))
      .filter((problem) => problem !== null)
      .map(([, line, problem]) => `${line === '0' ? 'tsc' : nameOf(manifests[Number(line) - 1]!)}: ${problem}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const settings = '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2024 --pretty false'

/** @returns what TypeScript prints; nothing if all is well */
function runTypeScript(file: string): Promise<string> {
  const program = workspaceFile('node_modules/.bin/tsc')
  return new Promise((resolve, reject) => {
    execFile(program, [...settings.split(' '), '--types', '', file], (error, stdout, stderr) => {
      // The status is 1 or 2 for errors in the file, which stdout has.
      if (error !== null && stdout === '') reject(new Error(`TypeScript did not run: ${error.message} ${stderr}`))
      else resolve(stdout.trim())
    })
  })
}
