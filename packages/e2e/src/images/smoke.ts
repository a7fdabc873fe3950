import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openaiClient } from '../start-test-system.ts'
import type { Buildah, ImageConfig, Images } from './build-images.ts'
import { type Container, startContainer, startSurroundings } from './surroundings.ts'

const readyTimeoutMs = 60_000
const nonroot = '65532:65532'
/** Writes wherever an image might have left a way, and prints the places that took it. */
const writeEverywhere = `
  const { readdirSync, writeFileSync } = require('node:fs')
  const folders = ['/', '/tmp', '/dev/shm', '/opt/tollgate', '/home/nonroot', '/var', '/run', '/etc', '/proc/self/attr']
  const wrote = folders.filter((folder) => { try { writeFileSync(folder + '/x', ''); return true } catch { return false } })
  console.log(JSON.stringify({ uid: process.getuid(), gid: process.getgid(), wrote }))`

/**
 * Runs both images as a strict cluster does, against real servers: migrates with the image's own command, serves a
 * chat, and stops in the middle of a stream.
 *
 * @param note called with what was seen, for the report
 * @throws AssertionError with the output of the container at the first broken promise
 */
export async function smokeTest(
  buildah: Buildah,
  images: Images,
  directory: string,
  note: (text: string) => void
): Promise<void> {
  await using parts = new AsyncDisposableStack()
  const surroundings = parts.use(await startSurroundings(directory))
  const open = async (image: string) => {
    const { config } = await buildah.inspect(image)
    const { root, remove } = await buildah.mount(image)
    parts.defer(remove)
    assertImage(image, config, root)
    return { root, config, before: digestOf(root), directory: join(directory, 'containers') }
  }
  const [control, gateway] = [await open(images.control), await open(images.gateway)]
  mkdirSync(control.directory)

  const migrate = async () => {
    const child = await startContainer({
      ...control,
      name: 'migrate',
      args: ['tollgate.js', 'migrate'],
      variables: { DATABASE_URL: surroundings.controlVariables.DATABASE_URL! }
    })
    const { code } = await child.ended
    assert.equal(code, 0, child.output())
    return child.output()
  }
  assert.match(await migrate(), /Applied: /)
  assert.match(await migrate(), /was up to date/)

  const started = async (name: string, image: typeof control, variables: Readonly<Record<string, string>>) => {
    const began = performance.now()
    const container = await startContainer({ ...image, name, variables })
    parts.defer(() => container.stop())
    await untilHealthy(container, image.config)
    note(`${name}: healthy ${Math.round(performance.now() - began)} ms after its start`)
    const inside = await container.exec(['node', '-e', writeEverywhere])
    assert.deepEqual(JSON.parse(inside.output), { uid: 65532, gid: 65532, wrote: [] })
    return container
  }
  const controlContainer = await started('control', control, surroundings.controlVariables)
  const gatewayContainer = await started('gateway', gateway, surroundings.gatewayVariables)

  const doctor = await controlContainer.exec(['node', 'tollgate.js', 'doctor', '--json'], surroundings.gatewayVariables)
  assertHealthyParts(doctor.output)
  const dashboard = await fetch(surroundings.controlUrl, { headers: { accept: 'text/html' } })
  assert.match(await dashboard.text(), /<!doctype html>/i)

  const key = await surroundings.createKey()
  const client = openaiClient(surroundings.gatewayUrl, key)
  const question = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Say 40 words.' }] }
  const { choices, usage } = await client.chat.completions.create(question)
  assert.ok(choices[0]!.message.content!.length > 0)
  note(`one chat served: ${usage!.completion_tokens} tokens`)

  await assertStreamOutlivesStop(gatewayContainer, client, question)
  await controlContainer.kill('SIGTERM')
  assert.equal((await controlContainer.ended).code, 0, controlContainer.output())
  for (const { root, before } of [control, gateway])
    assert.equal(digestOf(root), before, 'the files of the image changed')
}

/** A gateway that is told to stop in the middle of a stream finishes the stream, then ends with status 0. */
async function assertStreamOutlivesStop(
  gateway: Container,
  client: ReturnType<typeof openaiClient>,
  question: { model: string; messages: Array<{ role: 'user'; content: string }> }
): Promise<void> {
  let [text, finish, isStopped] = ['', null as string | null, false]
  for await (const { choices } of await client.chat.completions.create({ ...question, stream: true })) {
    text += choices[0]?.delta.content ?? ''
    finish ??= choices[0]?.finish_reason ?? null
    if (!isStopped) process.kill(gateway.pid, 'SIGTERM')
    isStopped = true
  }
  assert.ok(text.length > 0)
  assert.equal(finish, 'stop')
  assert.equal((await gateway.ended).code, 0, gateway.output())
}

async function untilHealthy(container: Container, config: ImageConfig): Promise<void> {
  const [kind, ...check] = config.Healthcheck!.Test
  assert.equal(kind, 'CMD')
  const deadline = performance.now() + readyTimeoutMs
  for (;;) {
    const { status, output } = await container.exec(check)
    if (status === 0) return
    assert.ok(container.isRunning() && performance.now() < deadline, `${output}\n${container.output()}`)
    await delay(50)
  }
}

function assertImage(image: string, config: ImageConfig, root: string): void {
  assert.equal(config.User, nonroot, image)
  assert.equal(config.StopSignal, 'SIGTERM', image)
  assert.ok(Object.keys(config.ExposedPorts).length === 2, image)
  for (const label of ['title', 'description', 'licenses', 'version', 'revision', 'base.name']) {
    assert.ok(config.Labels[`org.opencontainers.image.${label}`], `${image}: ${label}`)
  }
  const programs = ['bin', 'sbin', 'usr/bin', 'usr/sbin'].flatMap((folder) => list(join(root, folder)))
  assert.deepEqual(
    programs.filter((path) => /\/(sh|bash|dash|busybox|apt|dpkg|node_modules)$/.test(path)),
    [],
    `${image} has a shell or a package manager`
  )
  for (const path of list(root)) {
    const { mode } = lstatSync(path)
    assert.equal(mode & 0o6000, 0, `${path} runs with another user's rights`)
  }
}

/** doctor also looks at Supabase, Stripe and addresses, which are not real here. */
function assertHealthyParts(output: string): void {
  const { results } = JSON.parse(output) as { results: Array<{ part: string; severity: string; what?: string }> }
  for (const part of ['settings', 'files', 'PostgreSQL', 'Redis']) {
    const ofPart = results.filter((result) => result.part === part)
    assert.ok(ofPart.length > 0, part)
    assert.deepEqual(
      ofPart.filter(({ severity }) => severity === 'error'),
      []
    )
  }
}

/** A digest of all names, modes, times and contents. */
function digestOf(root: string): string {
  const hash = createHash('sha256')
  for (const path of list(root)) {
    const stat = lstatSync(path)
    hash.update(`${path}\0${stat.mode}\0${stat.uid}\0${stat.mtimeMs}\0`)
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (stat.isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** All paths below a folder, sorted. Links are not followed. */
const list = (folder: string): string[] =>
  lstatSync(folder).isSymbolicLink()
    ? []
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((path) => join(folder, path))
        .sort()
