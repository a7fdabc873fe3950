import { CopyButton } from './copy-button.tsx'

/** An id with its name, such as `Request`, and a button that copies it. */
export const CopyableId = ({ of, id }: { readonly of: 'Key' | 'Message' | 'Request'; readonly id: string }) => (
  <div className="flex flex-wrap items-center gap-2 text-sm">
    <span className="text-ink-soft">{of} id</span>
    <code className="min-w-0 font-mono break-all">{id}</code>
    <CopyButton text={id} what={`the ${of.toLowerCase()} id`} />
  </div>
)
