import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ResponseRequest } from '@tollgate/contracts/http/inference.ts'
import t from 'tap'
import { type Shape, shapeOf } from '../../body/shape.ts'

const url = import.meta.resolve('openai').replace(/index\.m?js$/, 'resources/responses/responses.d.ts')
const declarations = readFileSync(fileURLToPath(url), 'utf8')

/** The members of an interface in the SDK's type declarations. */
function membersOf(name: string, indent = ''): string[] {
  const body = new RegExp(`^${indent}(?:export )?interface ${name} \\{$(.*?)^${indent}\\}$`, 'ms').exec(
    declarations
  )![1]!
  return [...body.matchAll(new RegExp(`^${indent} {4}(\\w+)\\??:`, 'gm'))].map(([, member]) => member!)
}

/** The shape of the objects in a list. */
function listed(shape: Shape, name: string): Shape {
  const member = shape.members!.flatMap((some) => some ?? []).find((one) => one.name === name)!
  return member.shape.items!
}

t.test('items, parts and tools may have every member that the official SDK gives the accepted types', async () => {
  const request = shapeOf(ResponseRequest)
  const item = listed(request, 'input')
  const inside = '    '
  for (const [shape, names, indent = ''] of [
    [
      item,
      [
        'EasyInputMessage',
        'ResponseOutputMessage',
        'ResponseFunctionToolCall',
        'ResponseCustomToolCall',
        'ResponseCustomToolCallOutput',
        'ResponseReasoningItem',
        'ResponseComputerToolCall'
      ]
    ],
    [
      item,
      [
        'Message',
        'FunctionCallOutput',
        'ComputerCallOutput',
        'LocalShellCall',
        'LocalShellCallOutput',
        'ApplyPatchCall',
        'ApplyPatchCallOutput',
        'AdditionalTools',
        'ItemReference'
      ],
      inside
    ],
    [
      listed(item, 'content'),
      [
        'ResponseInputText',
        'ResponseInputImage',
        'ResponseOutputText',
        'ResponseOutputRefusal',
        'ResponseComputerToolCallOutputScreenshot'
      ]
    ],
    [
      listed(request, 'tools'),
      ['FunctionTool', 'CustomTool', 'NamespaceTool', 'ApplyPatchTool', 'ComputerTool', 'ComputerUsePreviewTool']
    ]
  ] as const) {
    for (const name of names) {
      const members = membersOf(name, indent)
      assert.ok(members.length > 0, name)
      assert.deepEqual(
        members.filter((member) => !shape.knownNames.has(member)),
        [],
        name
      )
    }
  }
})
