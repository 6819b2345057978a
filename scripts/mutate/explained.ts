/** Why a survivor of the mutation run may live; a survivor that is not named here fails the run. */
export const EXPLAINED: { readonly [key: string]: string } = {};
