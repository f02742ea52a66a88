/** An item that a user wrote: usable, or why not (naming the field). The shape of the sync's port of the same name. */
export type Entry<T> = { readonly key: string } & ({ readonly value: T } | { readonly invalid: string });
