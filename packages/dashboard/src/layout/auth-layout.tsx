import type { ReactNode } from 'react'
import { brand, titleOf } from '../brand/brand.ts'
import { gatewayUrl } from '../page-facts.ts'
import { BrandLinks, Logo } from './logo.tsx'

interface AuthLayoutProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** Links to other pages. */
  readonly footer?: ReactNode
}

/** The layout of pages for signed-out users: a form, and on wide screens an introduction. */
export function AuthLayout({ title, description, children, footer }: AuthLayoutProps) {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
      <title>{titleOf(title)}</title>
      <main className="flex flex-col px-5 py-8 sm:px-10">
        <a href="/" className="inline-flex min-w-0 self-start">
          <Logo />
        </a>
        <div className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center py-12">
          <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {description !== undefined && <div className="mt-2 break-words text-ink-soft">{description}</div>}
          <div className="mt-7">{children}</div>
          {footer !== undefined && <div className="mt-7 text-sm text-ink-soft">{footer}</div>}
        </div>
        <BrandLinks />
      </main>
      <aside
        aria-label={`About ${brand.name}`}
        className="hidden items-center border-l border-line bg-sunken px-12 lg:flex xl:px-20"
      >
        <div className="max-w-xl">
          <p className="text-3xl leading-tight font-semibold tracking-tight text-balance">
            One API key for every model, with budgets that are enforced.
          </p>
          <p className="mt-4 max-w-prose text-ink-soft">
            Keep your SDK: set the base URL and the key. Requests that would exceed a key’s budget are refused.
          </p>
          <pre className="mt-8 break-all whitespace-pre-wrap rounded-2xl border border-line bg-surface p-5 font-[ui-monospace,monospace] text-[0.8125rem] leading-relaxed shadow-card">
            <code>{`from openai import OpenAI

client = OpenAI(
    base_url="${gatewayUrl()}/v1",
    api_key="tg_…",
)`}</code>
          </pre>
        </div>
      </aside>
    </div>
  )
}
