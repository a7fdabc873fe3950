import { describeBounds, describeSchema } from '@tollgate/contracts/openapi/describe-schema.ts'
import type { Content } from '@tollgate/contracts/openapi/document.ts'
import { useState } from 'react'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Markdown } from '../playground/markdown.tsx'
import type { FoundOperation } from './find-operations.ts'

/** An operation. Its details are only rendered once they are unfolded. */
export function OperationView({ method, path, operation }: FoundOperation) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
          <code className="font-mono text-[0.8125rem] break-all">
            <span className="font-semibold">{method}</span> {path}
          </code>
          <span className="text-ink-soft">{operation.summary}</span>
        </summary>
        {isOpen && <Details {...{ method, path, operation }} />}
      </details>
    </li>
  )
}

function Details({ operation }: FoundOperation) {
  const { operationId, description, parameters = [], requestBody, responses } = operation
  return (
    <div className="space-y-4 px-4 pt-1 pb-4">
      {description !== undefined && <Markdown text={description} />}
      {parameters.length > 0 && (
        <dl aria-label="Parameters" className="space-y-2">
          {parameters.map(({ name, in: place, required = false, description: about = '', schema = {} }) => (
            <div key={`${place} ${name}`}>
              <dt>
                <code className="font-mono text-[0.8125rem]">{name}</code>{' '}
                <span className="text-ink-soft">
                  in {place}
                  {required && ', required'}
                </span>
              </dt>
              <dd className="break-words">
                <code className="font-mono text-[0.8125rem] break-all">
                  {[describeSchema(schema), describeBounds(schema)].filter((part) => part !== '').join(', ')}
                </code>{' '}
                {about.replaceAll('`', '')}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {requestBody !== undefined && (
        <Schemas title="Body" what={`${operationId}: body`} content={requestBody.content} />
      )}
      {Object.entries(responses).map(([status, { description: about, content = {} }]) =>
        /^[23]/.test(status) ? (
          <Schemas
            key={status}
            title={`Answer ${status}`}
            what={`${operationId}: answer ${status}`}
            content={content}
          />
        ) : (
          <div key={status}>
            <p className="font-medium">Error {status}</p>
            <Markdown text={about} />
          </div>
        )
      )}
    </div>
  )
}

function Schemas({ title, what, content }: { title: string; what: string; content: Content }) {
  return (
    <div>
      <p className="mb-1 font-medium">{title}</p>
      {Object.entries(content).map(([type, { schema }]) => (
        <ScrollRegion
          key={type}
          label={`${what}, ${type}`}
          className="max-h-96 overflow-auto rounded-xl border border-line bg-sunken p-3"
        >
          <pre className="font-mono text-[0.8125rem] leading-relaxed">
            {schema === undefined ? type : describeSchema(schema)}
          </pre>
        </ScrollRegion>
      ))}
    </div>
  )
}
