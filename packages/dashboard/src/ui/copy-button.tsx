import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { ScrollRegion } from './scroll-region.tsx'
import { useToast } from './toast.tsx'

const shownMs = 2000

/** Copies a text and confirms it. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const showToast = useToast()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    // The clipboard is missing on pages served without TLS.
    const copying = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    copying.then(
      () => setCopied(true),
      () => showToast('Your browser blocked copying. Select the text and copy it yourself.', 'failed')
    )
  }
  const Icon = isCopied ? Check : Copy
  return (
    <>
      <Button size="small" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon aria-hidden="true" className="size-3.5" />
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {isCopied && `Copied ${what}.`}
      </span>
    </>
  )
}

/** An id with its name, such as `Request`, and a button that copies it. */
export const CopyableId = ({ of, id }: { readonly of: 'Key' | 'Message' | 'Request'; readonly id: string }) => (
  <div className="flex flex-wrap items-center gap-2 text-sm">
    <span className="text-ink-soft">{of} id</span>
    <code className="min-w-0 font-mono break-all">{id}</code>
    <CopyButton text={id} what={`the ${of.toLowerCase()} id`} />
  </div>
)

/** A block of code with a copy button. */
export function CodeBlock({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <div className="relative rounded-xl border border-line bg-sunken">
      <div className="absolute top-2 right-2">
        <CopyButton text={code} what={what} />
      </div>
      <ScrollRegion label={what} className="max-h-96 overflow-auto rounded-xl p-4 pt-12 sm:pt-4 sm:pr-24">
        <pre className="font-mono text-[0.8125rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
          <code>{code}</code>
        </pre>
      </ScrollRegion>
    </div>
  )
}
