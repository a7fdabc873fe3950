import { readFileSync, writeFileSync } from 'node:fs'
import { generateSources } from '@tollgate/dashboard/build/generated-sources.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'

// Writes every generated file. With `sources`, only what git ignores: what the type check and others need.
await generateSources()
if (process.argv[2] !== 'sources') {
  const { outputs } = await import('./outputs.ts')
  for (const { path, platform = process.platform, generate } of outputs) {
    if (platform !== process.platform) {
      console.log(`${path} is left as it is: only ${platform} can generate it.`)
      continue
    }
    const text = generate()
    if (readFileSync(workspaceFile(path), 'utf8') === text) continue
    writeFileSync(workspaceFile(path), text)
    console.log(`Wrote ${path}`)
  }
}
