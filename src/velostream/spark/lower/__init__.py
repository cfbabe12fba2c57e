"""Plans to Spark: one file per node. What a stream does goes into the streaming query, what follows its last stateful
node is done with each micro-batch."""
