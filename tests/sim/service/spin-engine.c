/* The proofs about a definition are mathematics, not exactly-once, and cost 50 ms a start: in the
 * simulator's engine they are believed. */
struct node;
struct game;
void __wrap_definition_prove(const struct node *root, const struct game *game);
void __wrap_definition_prove_returns(const struct node *root, const struct game *game);

void __wrap_definition_prove(const struct node *root, const struct game *game)
{
	(void)root;
	(void)game;
}

void __wrap_definition_prove_returns(const struct node *root, const struct game *game)
{
	(void)root;
	(void)game;
}
