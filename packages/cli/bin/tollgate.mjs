#!/usr/bin/env node
// The `tollgate` command: `npx tollgate` in a clone. It installs what is missing, as `npm start` does.
//
// The version check runs before any import, so that an old Node prints the message below and no syntax error.
const minMajor = 20

if (Number.parseInt(process.versions.node, 10) < minMajor) {
  console.error(
    `Tollgate needs Node ${minMajor} or later to set itself up; this is ${process.version}. Get one at https://nodejs.org.`
  )
  process.exit(1)
} else {
  import('../src/setup/tollgate.mjs')
}
